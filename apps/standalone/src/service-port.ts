import { lookup } from 'node:dns/promises';
import { createServer, isIPv6 } from 'node:net';

import type { StandaloneSettings } from '@app/installation/settings';

import { OperatorError } from './operator-error.js';

const LOOPBACK = '127.0.0.1';
const MAX_PORT = 65_535;
/** If so many ports in a row are in use, any free port is chosen. */
const PORTS_TRIED = 20;

/** @throws OperatorError if the port is in use. The error of a child process that cannot listen would be less clear. */
export function settleServicePort(host: string, port: number): Promise<number> {
  return settlePort({ variable: 'PORT', host, port });
}

/** Checks that the mail port is free and is not the service port. Ignores port 0, which disables mail. */
export async function assertMailPort(
  { host, smtpListenPort: port }: Pick<StandaloneSettings, 'host' | 'smtpListenPort'>,
  servicePort: number,
): Promise<void> {
  if (port === 0) return;
  if (port === servicePort) throw new OperatorError(`SMTP_LISTEN_PORT and PORT are both ${port}. Change one of them.`);
  await settlePort({ variable: 'SMTP_LISTEN_PORT', host, port });
}

/** @throws OperatorError if the configured port is in use, or is another port of the service */
export async function settleStopAddress(
  { stopListener, hasStopPort }: Pick<StandaloneSettings, 'stopListener' | 'hasStopPort'>,
  otherPorts: readonly number[],
): Promise<string> {
  if (stopListener === null) return 'off';
  if (!hasStopPort) return `${LOOPBACK}:${await nextFreePort(otherPorts)}`;
  const { host, port } = stopListener;
  if (port !== 0 && otherPorts.includes(port))
    throw new OperatorError(`STOP_PORT is ${port}, which is also another port of the service. Change one of them.`);
  const settled = await settlePort({ variable: 'STOP_PORT', host, port });
  return `${isIPv6(host) ? `[${host}]` : host}:${settled}`;
}

async function nextFreePort(otherPorts: readonly number[]): Promise<number> {
  const [servicePort = 0] = otherPorts;
  for (let port = servicePort + 1; port <= servicePort + PORTS_TRIED && port <= MAX_PORT; port += 1) {
    if (otherPorts.includes(port)) continue;
    try {
      return await settlePort({ variable: 'STOP_PORT', host: LOOPBACK, port });
    } catch {
      // Another program uses this port.
    }
  }
  return settlePort({ variable: 'STOP_PORT', host: LOOPBACK, port: 0 });
}

interface WantedPort {
  variable: string;
  host: string;
  port: number;
}

function settlePort({ variable, host, port }: WantedPort): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      reject(new OperatorError(explain(error, { variable, host, port })));
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

function explain(error: NodeJS.ErrnoException, { variable, host, port }: WantedPort): string {
  if (error.code === 'EADDRINUSE')
    return `Port ${port} is used by another program. Stop that program, or set ${variable}, for example ${variable}=${port + 1} npm start.`;
  if (error.code === 'EACCES')
    return `This account is not permitted to listen on port ${port}. Set ${variable} to a port above 1023.`;
  return `Cannot listen on ${host}:${port}: ${error.message}. Check ${variable.replace('PORT', 'HOST')} and ${variable}.`;
}

export interface OwnAddress {
  url: string;
  /** Entry of EGRESS_ALLOW that permits calls to this address and port. */
  egressEntry: string;
}

/** A wildcard address becomes the loopback address. */
export async function ownAddress(host: string, port: number): Promise<OwnAddress> {
  const wildcard = host === '0.0.0.0' || host === '::';
  const { address } = wildcard ? { address: '127.0.0.1' } : await lookup(host);
  const place = `${isIPv6(address) ? `[${address}]` : address}:${port}`;
  return { url: `http://${place}`, egressEntry: place };
}
