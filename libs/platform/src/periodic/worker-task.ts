/** Work that a worker process does from its start to its shutdown, apart from its jobs. */
export interface WorkerTask {
  /** @throws Error when the worker cannot start without it */
  start(): void | Promise<void>;
  /** Takes nothing more. Resolves when what is under way has ended or was given back, at most after `drainMillis`. */
  stop(drainMillis: number): Promise<void>;
}
