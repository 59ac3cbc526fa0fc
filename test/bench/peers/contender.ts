import type { Program } from '../../support/program.js';
import type { Post } from '../http-load.js';

/** Numbers of runs per figure; each takes the contender a few seconds. */
export interface Sizes {
  /** Started before the measurement, also as warm-up of the worker. */
  warmUp: number;
  /** Started without a worker. */
  acceptedAlone: number;
  /** Started while the worker executes runs. */
  finished: number;
  /** Runs that are started one after another while no other run is being carried out. */
  oneAtATime: number;
}

/** The table in which a contender stores the states of runs: one row per run, updated in place. */
export interface RunTable {
  /** Connection string of a superuser. */
  databaseUrl: string;
  table: string;
  /** Values of the column `status` of open runs. */
  open: readonly string[];
  succeeded: string;
}

/** A service whose API accepts runs and whose worker executes them. */
export interface RunningContender {
  /** Starts one run of four steps, the first of which calls the tool. */
  post: Post;
  acceptedStatus: number;
  runs: RunTable;
  api: Program;
  startWorker(): Promise<Program>;
  /** Stops all its processes. A repeated call does nothing. */
  stop(): Promise<void>;
}

/**
 * A compared system. Nothing of it runs before `start` and after {@link RunningContender.stop}; its data stay for the
 * next round.
 */
export interface Contender {
  name: string;
  /** The store of its queue. */
  queue: 'redis' | 'postgres';
  sizes: Sizes;
  start(): Promise<RunningContender>;
  /** Removes what it left outside of its database. */
  remove(): Promise<void>;
}
