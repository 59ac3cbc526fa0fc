import type { Pool } from 'pg';

import type { Ledger } from '../support/ledger.js';
import type { Stack } from '../support/stack.js';
import type { BenchOptions } from './bench-options.js';
import type { Figures } from './figures.js';

/** What a fleet and `npm start` run with; the stack's own defaults are for tests that wait for leases to end. */
export const AS_SHIPPED = {
  LOG_LEVEL: 'warn',
  DATABASE_POOL_SIZE: '10',
  WORKER_LEASE_MS: '15000',
  // What is measured is accepting, not turning away.
  MAX_QUEUED_RUNS: '10000000',
  RATE_LIMIT_REQUESTS: '10000000',
  RATE_LIMIT_TRIGGERS: '10000000',
};

/** What every scenario works with. */
export interface Bench {
  options: BenchOptions;
  figures: Figures;
  /** A migrated database on a server of the bench's own. */
  databaseUrl: string;
  /** Sessions past the service, for what the scenarios look up. */
  database: Pool;
  /** A further migrated database, with sessions; both are gone when the bench ends. */
  openDatabase: (name: string) => Promise<{ url: string; database: Pool }>;
  repetitions: number;
  /** `full` sizes are divided by this. */
  divisor: number;
  say: (line: string) => void;
}

/** A scenario that needs no service: a ceiling. Nothing else runs meanwhile. */
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
  /** The only queue that it is run with: with the other one it would measure the same, or nothing that anybody asks for. */
  onlyWith?: 'postgres' | 'redis';
  run(bench: Bench, service: Service): Promise<void>;
}
