import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';

const STOP_ADDRESS =
  /^(?:off|(?:(?<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):)?(?<port>\d{1,4}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5]))$/;

export const addressConfig = defineDerivedConfig(
  {
    title: 'Addresses',
    readBy: ['api', 'worker', 'npm start'],
    settings: {
      port: setting.integer('PORT', {
        default: 3000,
        min: 0,
        max: 65_535,
        description: 'Port that the api listens on. 0 chooses a free port.',
        readBy: ['api', 'npm start'],
      }),
      host: setting.matching('HOST', {
        default: '127.0.0.1',
        pattern: /^[A-Za-z0-9.:_-]+$/,
        allowed: 'a host name or an IP address',
        description: 'Address that the api, its SMTP listener and the probe server of a worker listen on.',
      }),
      stopAddress: setting.matching('STOP_PORT', {
        default: '',
        defaultNote: '`PORT` + 1',
        pattern: STOP_ADDRESS,
        allowed: 'off, a port, or host:port',
        description:
          'Second port of the api, at HOST or at the given host. It serves the emergency stop, /healthz and /metrics ' +
          'even while the main thread of the api is blocked. `npm start` chooses the next free port of 127.0.0.1. 0 ' +
          'chooses a free port.',
        readBy: ['api', 'npm start'],
      }),
      publicUrl: setting.url('PUBLIC_URL', {
        schemes: ['http', 'https'],
        secret: false,
        defaultNote: '`http://HOST:PORT`',
        description:
          'Public URL of the service. The links in mails, the sign-in links and the redirect address of OAuth begin ' +
          'with it.',
      }),
      workerPort: setting.integer('WORKER_PORT', {
        default: 0,
        min: 0,
        max: 65_535,
        description:
          'Port at HOST on which a worker process answers GET /healthz and GET /metrics. 0 disables it. /healthz ' +
          'returns 200 while the worker holds its lease. Two processes on the same machine cannot share a port.',
        readBy: ['worker'],
      }),
    },
  },
  ({ publicUrl, stopAddress, ...values }) => ({
    ...values,
    /** Null if it is off. */
    stopListener: stopListenerOf(stopAddress, values),
    hasStopPort: stopAddress !== '',
    hasPublicUrl: publicUrl !== undefined,
    publicUrl: withoutSlash(publicUrl ?? localUrl(values)),
    /** Null if the operator has not set PUBLIC_URL. */
    consoleUrl: publicUrl === undefined ? null : `${withoutSlash(publicUrl)}/console`,
  }),
);
export type AddressConfig = ConfigOf<typeof addressConfig>;

function stopListenerOf(
  text: string,
  { host, port }: { host: string; port: number },
): { host: string; port: number } | null {
  if (text === 'off') return null;
  if (text === '') return { host, port: port === 0 || port === 65_535 ? 0 : port + 1 };
  const given = STOP_ADDRESS.exec(text)?.groups;
  return { host: given?.host?.replace(/^\[|\]$/g, '') ?? host, port: Number(given?.port) };
}

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

// If the server listens on a wildcard address, the URL contains `localhost`, because not every system can connect to a
// wildcard address.
function localUrl({ host, port }: { host: string; port: number }): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
