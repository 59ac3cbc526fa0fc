/** Limits of one process. */
export interface IsolationLimits {
  /** JavaScript heap. */
  heapMegabytes: number;
  /** Resident memory of the whole process, buffers included. */
  memoryMegabytes: number;
  /** The process is killed when its event loop does not turn for this long. */
  blockedMillis: number;
}

/**
 * Why an isolated process gave no answer: `crashed` an exception that no code caught · `memory` more memory than its limits ·
 * `blocked` its event loop did not turn · `timeout` the time limit of the call · `closed` the service closed it.
 */
export type IsolationFailure = 'crashed' | 'memory' | 'blocked' | 'timeout' | 'closed';

/** The isolated process ended before it answered. */
export class IsolationError extends Error {
  override readonly name = 'IsolationError';

  constructor(
    readonly reason: IsolationFailure,
    message: string,
  ) {
    super(message);
  }
}

/** An error that the code in the process threw, with its plain members: `reason`, `code` and the like. */
export class RemoteError extends Error {
  constructor(
    override readonly name: string,
    message: string,
    readonly details: Readonly<Record<string, string | number | boolean>>,
  ) {
    super(message);
  }
}
