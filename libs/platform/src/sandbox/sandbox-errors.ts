/**
 * Why a confined process ended: `crashed` an exception that no code caught, or an exit · `memory` more memory than its limits ·
 * `blocked` its event loop did not turn, or a call took more CPU time than its limit · `timeout` the time limit of a call ·
 * `killed` the operating system or another process ended it · `closed` the service closed it.
 */
export type EndReason = 'crashed' | 'memory' | 'blocked' | 'timeout' | 'killed' | 'closed';

/** A confined process ended before it answered. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';

  constructor(
    readonly reason: EndReason,
    message: string,
  ) {
    super(message);
  }
}

/** An error that the program threw, with its plain members: `reason`, `code` and the like. */
export class SandboxFailure extends Error {
  constructor(
    override readonly name: string,
    message: string,
    readonly details: Readonly<Record<string, string | number | boolean>>,
  ) {
    super(message);
  }

  /** The member `code` of the error; empty where it has none. */
  get code(): string {
    return String(this.details.code ?? '');
  }
}

/** The limit that a request exceeded; `crashed`: its process ended for another reason. */
export type SandboxLimit = 'time' | 'memory' | 'crashed';

/** The request cannot be handled within the limits of its process. The same request fails again. */
export class SandboxLimitExceeded extends Error {
  override readonly name = 'SandboxLimitExceeded';

  constructor(readonly limit: SandboxLimit) {
    super(`the request exceeded a limit of its process: ${limit}`);
  }
}

/** No process could handle the request, for a reason outside of the request: it may be tried again later. */
export class SandboxUnavailable extends Error {
  override readonly name = 'SandboxUnavailable';
}
