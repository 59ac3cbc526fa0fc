import { type ConfigOf, defineConfig, setting } from '@app/platform/config';
import { parseEgressAllowEntry } from './egress-allow-entry.js';

export const egressConfig = defineConfig({
  title: 'Outbound network',
  readBy: ['api', 'worker', 'npm start'],
  settings: {
    egressAllow: setting.list('EGRESS_ALLOW', {
      accepts: (entry) => parseEgressAllowEntry(entry) !== undefined,
      allowed: 'networks such as 10.0.0.0/8 or 127.0.0.1:8080, separated by commas',
      defaultNote: 'public addresses only',
      description:
        'Private networks to which tools, connectors and event endpoints may connect, as CIDR with an optional ' +
        'port: `10.0.0.0/8`, `127.0.0.1:8080`, `fd00::/8:443`.',
    }),
  },
});
export type EgressConfig = ConfigOf<typeof egressConfig>;

/**
 * Maximum number of concurrent requests of one worker process to event endpoints. Receivers of events are more often
 * slow than tools, so this is four times the default of WORKER_CONCURRENCY. A waiting request needs only a socket and
 * little memory.
 */
export const DELIVERY_CONCURRENCY = 64;
