// The API and workers load this module before their own code (`node --import`). If the start command dies, its IPC
// channel closes, and the process shuts down as after a SIGTERM.

/** After this time, the process exits with status 1. */
const STOP_WITHIN_MS = 30_000;

process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
});
// An open channel alone must not keep the process alive.
process.channel?.unref();
