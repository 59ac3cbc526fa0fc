import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';

/** The emergency stop waits until all permissions have expired. */
const MAX_START_BUDGET = 1_000;

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
        description: 'Maximum number of runs that one worker process executes at the same time.',
        readBy: ['worker'],
      }),
      leaseMillis: setting.integer('WORKER_LEASE_MS', {
        default: 15_000,
        min: 10,
        max: 3_600_000,
        unit: 'milliseconds',
        description:
          'Time without a heartbeat after which other workers take over the runs of a worker. Two intervals are ' +
          'fractions of this time: the heartbeat of a worker (1/3) and its search for work that is due, for example ' +
          'for lost runs (1/15). Give every process of an installation the same value.',
      }),
    },
  },
  ({ workerConcurrency, leaseMillis }) => ({
    workerConcurrency,
    leaseMillis,
    heartbeatMillis: Math.ceil(leaseMillis / 3),
    /** Interval at which a worker asks which work is due. The job that announces a run may be lost. */
    pollMillis: Math.ceil(leaseMillis / 15),
    /** It is shorter than the lease, because a worker must not start a call after its lease has expired. */
    startBudgetMillis: Math.min(MAX_START_BUDGET, Math.ceil(leaseMillis / 3)),
  }),
);
export type WorkerConfig = ConfigOf<typeof workerConfig>;
