import type { Pool } from 'pg';

import type { Program } from '../../support/program.js';
import type { Post } from '../http-load.js';

/** Numbers of runs in the measurements. Each measurement should take a few seconds. */
export interface Sizes {
  warmUp: number;
  /** Number of runs that are started while no worker runs. If 0, the contender is not measured without a worker. */
  acceptedAlone: number;
  finished: number;
  oneAtATime: number;
}

export interface RunObserver {
  /**
   * Waits until `begun` returns true and no run is open. `begun` returns true after every run has called the tool. This
   * condition is necessary, because some contenders respond before they have stored a run.
   */
  untilAllEnded(begun: () => boolean): Promise<void>;
  succeededRuns(): Promise<number>;
  /** Prepares the execution of one run at a time. */
  openSingleRuns(): Promise<SingleRuns>;
  close(): Promise<void>;
}

export interface SingleRuns {
  /** Executes a run. Returns the milliseconds from the first byte of the request until the end of the run is stored. */
  measureRun(): Promise<number>;
  close(): Promise<void>;
}

export interface RunningContender {
  /** Request that starts one run of four steps. The first step calls the tool of the benchmark. */
  post: Post;
  acceptedStatus: number;
  /** Opens an observer. `openPool` opens a connection pool for a database on the server of the benchmark. */
  observe(openPool: (url: string) => Pool): RunObserver;
  api: Program;
  startWorker(): Promise<Program>;
  stop(): Promise<void>;
}

/**
 * One of the compared systems. Its processes run only between `start` and {@link RunningContender.stop}. Its data
 * remains for the next round.
 */
export interface Contender {
  name: string;
  queue: 'redis' | 'postgres' | 'own log';
  sizes: Sizes;
  start(): Promise<RunningContender>;
  remove(): Promise<void>;
}
