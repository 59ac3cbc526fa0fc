/** The program dies of the request that it is about to send when its path contains `POISON`, as from a crash in native code. */
import { subscribe } from 'node:diagnostics_channel';

subscribe('undici:client:sendHeaders', ({ request }) => {
  if (request.path.includes(process.env.POISON)) process.kill(process.pid, 'SIGKILL');
});
