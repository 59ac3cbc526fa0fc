/**
 * Why a confined process ended:
 * - `crashed`: an uncaught exception, or an exit
 * - `memory`: it exceeded a memory limit
 * - `blocked`: its event loop was blocked, or a call exceeded its CPU time
 * - `timeout`: a call exceeded its time limit
 * - `killed`: the operating system or another process ended it
 * - `closed`: the service closed it
 */
export type EndReason = 'crashed' | 'memory' | 'blocked' | 'timeout' | 'killed' | 'closed';

export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';

  constructor(
    readonly reason: EndReason,
    message: string,
  ) {
    super(message);
  }
}

export class SandboxFailure extends Error {
  constructor(
    override readonly name: string,
    message: string,
    readonly details: Readonly<Record<string, string | number | boolean>>,
  ) {
    super(message);
  }

  get code(): string {
    return String(this.details.code ?? '');
  }
}

/** `crashed` means that the process of the request ended for another reason. */
export type SandboxLimit = 'time' | 'memory' | 'crashed';

/** A retry would fail again. */
export class SandboxLimitExceeded extends Error {
  override readonly name = 'SandboxLimitExceeded';

  constructor(readonly limit: SandboxLimit) {
    super(`the request exceeded a limit of its process: ${limit}`);
  }
}

/** It may be retried later. */
export class SandboxUnavailable extends Error {
  override readonly name = 'SandboxUnavailable';
}
