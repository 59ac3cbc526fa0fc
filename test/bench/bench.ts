import type { Pool } from 'pg';

import type { Ledger } from '../support/ledger.js';
import type { Stack } from '../support/stack.js';
import type { BenchOptions } from './bench-options.js';
import type { Figures } from './figures.js';

/** The production defaults. The defaults of the stack are for tests that wait for leases to expire. */
export const AS_SHIPPED = {
  LOG_LEVEL: 'warn',
  DATABASE_POOL_SIZE: '10',
  WORKER_LEASE_MS: '15000',
  // The bench measures acceptance, not rejection.
  MAX_QUEUED_RUNS: '10000000',
  RATE_LIMIT_REQUESTS: '10000000',
  RATE_LIMIT_TRIGGERS: '10000000',
};

/** The context of every scenario. */
export interface Bench {
  options: BenchOptions;
  figures: Figures;
  /** A migrated database on the bench's own server. */
  databaseUrl: string;
  /** Direct sessions for queries of the scenarios. */
  database: Pool;
  /** Creates another migrated database with sessions; the bench removes both. */
  openDatabase: (name: string) => Promise<{ url: string; database: Pool }>;
  repetitions: number;
  /** Divisor of the `full` sizes. */
  divisor: number;
  say: (line: string) => void;
}

/** A scenario without the service: an upper bound. Nothing else runs meanwhile. */
export interface CeilingScenario {
  name: string;
  run(bench: Bench): Promise<void>;
}

/** The running service with one kind of queue. */
export interface Service {
  queue: string;
  redisUrl: string | undefined;
  stack: Stack;
  ledger: Ledger;
}

export interface ServiceScenario {
  name: string;
  /** The only queue of this scenario; the other one gives the same or an irrelevant result. */
  onlyWith?: 'postgres' | 'redis';
  run(bench: Bench, service: Service): Promise<void>;
}
