import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { EgressError } from './egress-error.js';
import type { HostGuard, ResolvedAddress } from './host-guard.js';

const NEXT_ADDRESS_MILLIS = 500;
const MAX_HEADER_BYTES = 16 * 1024;

export function vettedAgent(guard: HostGuard, connectMillis: number, connections: number): Agent {
  return new Agent({
    connect: vettedConnector(guard, connectMillis),
    connections,
    // A connection carries one request at a time, because undici may resend a request that was pipelined after a
    // failed one.
    pipelining: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
    // There is no separate time limit for the body, because the total time limit covers it.
    bodyTimeout: 0,
  });
}

/**
 * An IP literal is checked before the connection is opened, because Node does not look it up. A host name is checked
 * when the socket resolves it, so TLS and the header `Host` still use the name. Every failure is an EgressError with
 * `sent: false`.
 */
function vettedConnector(guard: HostGuard, connectMillis: number): buildConnector.connector {
  const byPort = new Map<number, buildConnector.connector>();
  const connectorFor = (port: number): buildConnector.connector => {
    const known = byPort.get(port) ?? plainConnector(guard, port, connectMillis);
    byPort.set(port, known);
    return known;
  };

  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
    const fail = (error: unknown): void =>
      callback(connectFailure(error, options.host ?? options.hostname, options.protocol === 'https:'), null);
    const open = (): void =>
      connectorFor(port)(options, (error, socket) => (socket ? callback(null, socket) : fail(error)));
    if (isIP(options.hostname) === 0) open();
    else guard.resolve(options.hostname, port).then(open, fail);
  };
}

function plainConnector(guard: HostGuard, port: number, connectMillis: number): buildConnector.connector {
  const lookup: LookupFunction = (hostname, options, callback) => {
    const found = (addresses: ResolvedAddress[]): void => {
      const [first] = addresses;
      if (options.all) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    };
    guard.resolve(hostname, port).then(found, (error: unknown) => callback(connectFailure(error, hostname, false), ''));
  };
  return buildConnector({
    lookup,
    timeout: connectMillis,
    allowH2: false,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MILLIS,
  });
}

const CONNECT_CODES = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EACCES',
  'EPERM',
  'ETIMEDOUT',
  'EMFILE',
]);

function connectFailure(error: unknown, host: string, secure: boolean): EgressError {
  if (error instanceof EgressError) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  const failure = (reason: 'timeout' | 'connect' | 'tls', what: string) =>
    new EgressError(reason, `${what} ${host}${code && ` (${code})`}.`, { sent: false, cause: error });
  if (code === 'UND_ERR_CONNECT_TIMEOUT')
    return failure('timeout', 'No connection was established within the time limit to');
  if (secure && !CONNECT_CODES.has(code)) return failure('tls', 'No TLS connection could be established to');
  return failure('connect', 'No connection could be established to');
}
