/**
 * Inputs of the simulation. `M` marks values that were measured on the machine of docs/performance.md, and `A` marks
 * assumptions. After a new measurement, change the value here and run `npm run bench:partitioning` again.
 */
import type { ProcessCosts, ServerLimits } from './fleet-limits.js';
import type { MoveSpeed } from './workspace-move.js';

/** M: one run with four steps. `npm run bench -- --only four-step`. */
export const FOUR_STEP_RUN = {
  /** Core seconds and WAL of Postgres, with the queue in Postgres and in Redis. */
  postgres: { cores: 0.000_78, walBytes: 5_600 },
  redis: { cores: 0.000_54, walBytes: 5_500 },
  /** Core seconds of worker and api. */
  workerCores: 0.000_49,
  apiCores: 0.000_34,
} as const;

/** A: a process is busy for at most this share of the time, as in docs/sizing.md. */
export const PROCESS_BUSY = 0.7;

/** A: four recorded responses of 20 KB each, not compressed. */
export const LARGE_RESPONSES_BYTES = 80_000;

/** A: runs that wait ten seconds for their tools, in workers with WORKER_CONCURRENCY=200. */
export const SLOW_RUN = { seconds: 10, slots: 200 } as const;

export const PROCESS_COSTS: ProcessCosts = {
  /** M: an idle worker with default settings: processor time of Postgres (9 to 12 ms/s) and statements, in 60 s. */
  pollCores: 0.01,
  pollStatements: 20,
  worker: { all: 12, listening: 2 },
  api: { all: 17, listening: 1 },
};

export const SERVER_LIMITS: ServerLimits = {
  /** A: eight cores, at most 60 % busy, as in docs/sizing.md. */
  cores: 8 * 0.6,
  /** A: the middle of the range × 10 to × 20 in which docs/sizing.md expects the limit. */
  walBytes: 33_000_000,
  /** A: with more sessions, docs/sizing.md uses PgBouncer. */
  connections: 500,
};

/** Rows of a run, and their retention by the default settings. M: a run with four steps, of which three are rows. */
export const STORED_RUN = { rowsPerRun: 3, stepsPerRun: 3, runDays: 365, traceDays: 30 } as const;

export const MOVE_SPEED: MoveSpeed = {
  /** M: `copy … to stdout` into `copy … from stdin`, with all indexes: 22 000 and 31 000 on a busy machine. */
  rowsPerSecond: 25_000,
  /** A: the maximum age of the caches of API keys and secrets. */
  switchSeconds: 5,
  /** A */
  lastPassSeconds: 5,
};
