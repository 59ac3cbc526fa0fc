import { systemClock } from '@app/kernel';
import { LOGGER, type Logger } from '@app/platform/observability';
import { PeriodicTask } from '@app/platform/periodic';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { Statements } from './statements.js';

/** Work that is recorded in Postgres and waits for its time, or for any worker. */
export interface DueWork {
  /** Unique in a process. */
  name: string;
  /**
   * A SQL condition without parameters. It may be true although there is nothing to do, but it must not be false if
   * there is. Uses `statement_timestamp()`, because Postgres uses no index for a comparison with `clock_timestamp()`.
   */
  isDue: string;
}

/**
 * One statement at each interval asks for all kinds of work, so that an idle worker costs almost nothing. If the
 * statement fails, each kind counts as due, so that one bad condition stops no other work.
 */
@Injectable()
export class DueWorkService {
  private readonly kinds: DueWork[] = [];
  private readonly waiting = new Map<string, { begin: () => void; isBusy: () => boolean }>();
  private asking: PeriodicTask | undefined;

  constructor(
    private readonly statements: Statements,
    @Optional() @Inject(LOGGER) private readonly logger?: Logger,
  ) {}

  /** Without this call, no work becomes due. */
  start(everyMillis: number): void {
    this.asking = new PeriodicTask(systemClock, {
      everyMillis,
      work: () => this.ask(),
      onError: (error) => this.countAllAsDue(error),
    });
    this.asking.start();
  }

  async stop(): Promise<void> {
    await this.asking?.stop();
  }

  /**
   * Returns the pause of a {@link PeriodicTask}, which ends when the work is due. While `isBusy` returns true, the pause
   * ends after one interval, for example because the worker must also renew leases.
   */
  untilDue(kind: DueWork, isBusy = (): boolean => false): (signal: AbortSignal) => Promise<void> {
    this.kinds.push(kind);
    return (signal) =>
      new Promise((resolve) => {
        const begin = (): void => {
          signal.removeEventListener('abort', begin);
          this.waiting.delete(kind.name);
          resolve();
        };
        this.waiting.set(kind.name, { begin, isBusy });
        signal.addEventListener('abort', begin);
        if (signal.aborted) begin();
      });
  }

  private async ask(): Promise<void> {
    if (this.waiting.size === 0) return;
    const conditions = this.kinds.map(({ name, isDue }) => `(${isDue}) as ${name}`);
    const statement = { name: 'due_work', text: `select ${conditions.join(',\n')}` };
    const [due] = await this.statements.query<Record<string, boolean>>(statement, []);
    for (const [name, { begin, isBusy }] of this.waiting) if (due?.[name] === true || isBusy()) begin();
  }

  private countAllAsDue(error: unknown): void {
    this.logger?.warn({ err: error }, 'due work: asking Postgres failed; looking for each kind of work instead');
    for (const { begin } of this.waiting.values()) begin();
  }
}
