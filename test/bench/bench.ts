import type { Pool } from 'pg';

import type { Ledger } from '../support/ledger.js';
import type { Stack } from '../support/stack.js';
import type { BenchOptions } from './bench-options.js';
import type { Figures } from './figures.js';

/** The default settings of the product. They replace the settings of the test stack, which uses short leases. */
export const AS_SHIPPED = {
  LOG_LEVEL: 'warn',
  DATABASE_POOL_SIZE: '10',
  WORKER_LEASE_MS: '15000',
  // The limits below are so high that the service rejects no request of a benchmark.
  MAX_QUEUED_RUNS: '10000000',
  RATE_LIMIT_REQUESTS: '10000000',
  RATE_LIMIT_TRIGGERS: '10000000',
};

export interface Bench {
  options: BenchOptions;
  figures: Figures;
  /** Reports about processor time and statements, which the benchmark prints after the figures. */
  profiles: string[];
  databaseUrl: string;
  /** Connection pool with which the scenarios query the database directly. */
  database: Pool;
  openDatabase: (name: string) => Promise<{ url: string; database: Pool }>;
  repetitions: number;
  /** Number by which a scenario divides its number of runs, so that a quick benchmark is shorter. */
  divisor: number;
  say: (line: string) => void;
}

/**
 * A scenario that does not use the service under test, for example because it measures an upper bound. No other program
 * of the benchmark runs at the same time.
 */
export interface CeilingScenario {
  name: string;
  /** True if the scenario takes many minutes. Then it runs only if the option `--only` names it. */
  onlyByName?: true;
  run(bench: Bench): Promise<void>;
}

/** The running service. Its queue is in Postgres or Redis. */
export interface Service {
  queue: string;
  redisUrl: string | undefined;
  stack: Stack;
  ledger: Ledger;
}

export interface ServiceScenario {
  name: string;
  /**
   * Store of the queue. If set, the scenario runs only with this store, because its figures would be the same or
   * irrelevant with another store.
   */
  onlyWith?: 'postgres' | 'redis';
  run(bench: Bench, service: Service): Promise<void>;
}
