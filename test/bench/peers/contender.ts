import type { Program } from '../../support/program.js';
import type { Post } from '../http-load.js';

/** Number of runs for each figure. The numbers are chosen so that each figure takes a few seconds. */
export interface Sizes {
  /** Number of runs that are started before the measurement. They also warm up the worker. */
  warmUp: number;
  /** Number of runs that are started while no worker runs. */
  acceptedAlone: number;
  /** Number of runs that are started while the worker executes runs. */
  finished: number;
  /** Number of runs that are executed one at a time. */
  oneAtATime: number;
}

/** The table in which a contender stores the statuses of runs. It has one row per run, which the contender updates. */
export interface RunTable {
  /** Connection string of a superuser. */
  databaseUrl: string;
  table: string;
  /** Values that the column `status` has in open runs. */
  open: readonly string[];
  succeeded: string;
}

/** A service whose API accepts runs and whose worker executes them. */
export interface RunningContender {
  /** Request that starts one run of four steps. The first step calls the tool. */
  post: Post;
  acceptedStatus: number;
  runs: RunTable;
  api: Program;
  startWorker(): Promise<Program>;
  /** Stops all processes of the contender. A repeated call does nothing. */
  stop(): Promise<void>;
}

/**
 * One of the compared systems. Its processes run only between `start` and {@link RunningContender.stop}. Its data
 * remains for the next round.
 */
export interface Contender {
  name: string;
  /** The store of the contender's queue. */
  queue: 'redis' | 'postgres';
  sizes: Sizes;
  start(): Promise<RunningContender>;
  /** Removes the data that the contender has stored outside its database. */
  remove(): Promise<void>;
}
