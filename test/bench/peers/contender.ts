import type { Program } from '../../support/program.js';
import type { Post } from '../http-load.js';

/** How many runs a figure is taken of; as many as take the contender a few seconds. */
export interface Sizes {
  /** Started before anything is measured. They are the worker's warm-up, too. */
  warmUp: number;
  /** Started while nobody carries them out. */
  acceptedAlone: number;
  /** Started while the worker is at work. */
  finished: number;
  /** Started one at a time on an idle service. */
  oneAtATime: number;
}

/** Where a contender writes down what becomes of runs. A row per run, changed in place. */
export interface RunTable {
  /** Superuser's. */
  databaseUrl: string;
  table: string;
  /** Values of the column `status` of runs that have not ended. */
  open: readonly string[];
  succeeded: string;
}

/** A service whose api accepts runs and whose worker carries them out. */
export interface RunningContender {
  /** Starts one run of four steps, the first of which calls the tool. */
  post: Post;
  acceptedStatus: number;
  runs: RunTable;
  api: Program;
  startWorker(): Promise<Program>;
  /** Ends all of its processes. Calling it again does nothing. */
  stop(): Promise<void>;
}

/** What is compared. Nothing of it runs before `start` and after {@link RunningContender.stop}; its data stay for the next round. */
export interface Contender {
  name: string;
  /** Which store its queue lies in. */
  queue: 'redis' | 'postgres';
  sizes: Sizes;
  start(): Promise<RunningContender>;
  /** Takes away what it left outside of its database. */
  remove(): Promise<void>;
}
