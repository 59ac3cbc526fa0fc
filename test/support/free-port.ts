import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Systems give outgoing connections, and servers that ask for port 0, ports from 32768 on. Such a connection would take
 * a port of that range between the choice of the port and its use, or while a program restarts.
 */
const PORTS = { first: 20_000, end: 32_768 } as const;

/** Returns a port of the loopback interface that no program listens on and that the system gives to no other program. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.end);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    await once(probe.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
