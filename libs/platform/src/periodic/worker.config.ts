import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';

/** Longest age of a permission to start a tool call, in milliseconds: the emergency stop waits for it. */
const LONGEST_START_BUDGET = 1_000;

/** How much a worker process does at the same time, and how fast the fleet notices that a worker is gone. */
export const workerConfig = defineDerivedConfig(
  {
    title: 'Workers',
    readBy: ['api', 'worker'],
    settings: {
      workerConcurrency: setting.integer('WORKER_CONCURRENCY', {
        default: 16,
        min: 1,
        max: 1_000,
        unit: 'runs',
        description: 'Runs that one worker process executes at the same time.',
        readBy: ['worker'],
      }),
      leaseMillis: setting.integer('WORKER_LEASE_MS', {
        default: 15_000,
        min: 10,
        max: 3_600_000,
        unit: 'milliseconds',
        description:
          'Time that a worker may be silent before other workers take its runs. The intervals of its heartbeat (a third), its ' +
          'search for lost runs (2/15) and its polling (1/15) follow from it. Give every process of an installation the same value.',
      }),
    },
  },
  ({ workerConcurrency, leaseMillis }) => ({
    workerConcurrency,
    leaseMillis,
    /** One lost heartbeat does not cost the lease. */
    heartbeatMillis: Math.ceil(leaseMillis / 3),
    /** How often a worker looks for runs whose worker is gone. */
    sweepMillis: Math.ceil((leaseMillis * 2) / 15),
    /** How often a worker looks for queued work whose job was lost. */
    pollMillis: Math.ceil(leaseMillis / 15),
    /** Age at which permission to start a tool call lapses. A call must not start after the lease that allowed it. */
    startBudgetMillis: Math.min(LONGEST_START_BUDGET, Math.ceil(leaseMillis / 3)),
  }),
);
export type WorkerConfig = ConfigOf<typeof workerConfig>;
