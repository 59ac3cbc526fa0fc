import { createServer } from 'node:net';

import { StartRefused } from './start-refused.js';

/**
 * The port the api will listen on: the configured one, or a free one for 0. Rejects with {@link StartRefused} when it is taken,
 * because a child process that fails to listen tells it less clearly.
 */
export function settleServicePort(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      reject(new StartRefused(explain(error, host, port)));
    });
    probe.listen({ host, port, exclusive: true }, () => {
      const address = probe.address();
      const chosen = typeof address === 'object' && address !== null ? address.port : port;
      probe.close(() => {
        resolve(chosen);
      });
    });
  });
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): string {
  if (error.code === 'EADDRINUSE')
    return `Port ${port} is taken by another program. Stop it, or set PORT, for example PORT=${port + 1} npm start.`;
  if (error.code === 'EACCES') return `This account may not listen on port ${port}. Set PORT to one above 1023.`;
  return `Cannot listen on ${host}:${port}: ${error.message}. Check HOST and PORT.`;
}
