/**
 * Makes the program exit before it sends a request whose path contains the text in the environment variable `POISON`.
 * This simulates a crash in native code.
 */
import { subscribe } from 'node:diagnostics_channel';

subscribe('undici:client:sendHeaders', ({ request }) => {
  if (request.path.includes(process.env.POISON)) process.kill(process.pid, 'SIGKILL');
});
