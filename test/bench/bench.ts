import type { Pool } from 'pg';

import type { Ledger } from '../support/ledger.js';
import type { Stack } from '../support/stack.js';
import type { BenchOptions } from './bench-options.js';
import type { Figures } from './figures.js';

/** What every scenario works with. */
export interface Bench {
  options: BenchOptions;
  figures: Figures;
  /** A migrated database on a server of the bench's own. */
  databaseUrl: string;
  /** Sessions past the service, for what the scenarios look up. */
  database: Pool;
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
  run(bench: Bench, service: Service): Promise<void>;
}
