/**
 * Loaded into api and worker before their own code (`node --import`): when the start command dies without a chance to stop them,
 * the channel to it closes, and they stop as they would on SIGTERM.
 */
const STOP_WITHIN_MS = 30_000;

process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
});
// Watching the channel is no reason to stay alive.
process.channel?.unref();
