import { errorText } from '@app/kernel';

import type { Cluster } from './cluster.js';
import { isDown } from './postmaster.js';

const LOOK_EVERY_MS = 1_000;
const SAY_AGAIN_MS = 60_000;

/** Restarts a server that ended without being stopped. */
export class ServerKeeper {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private ended = false;
  private readonly saidAt = new Map<string, number>();

  constructor(
    private readonly cluster: Cluster,
    private readonly bringUp: () => Promise<number>,
    private readonly log: (line: string) => void,
  ) {}

  begin(): void {
    if (this.ended || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.looking = this.look().finally(() => this.begin());
    }, LOOK_EVERY_MS);
    this.timer.unref();
  }

  /** Resolves when no start is under way. Call it before stopping the server. */
  async end(): Promise<void> {
    this.ended = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    try {
      if (!(await isDown(this.cluster)) || this.ended) return;
      this.say('PostgreSQL was killed, starting it again');
      await this.bringUp();
      this.log('PostgreSQL is ready again');
      this.saidAt.clear();
    } catch (error) {
      const [reason = '', ...details] = errorText(error).split('\n');
      this.say(`PostgreSQL could not be started again: ${reason}`, details);
    }
  }

  /** Logs a repeated line at most once a minute. The details may differ each time. */
  private say(line: string, details: readonly string[] = []): void {
    const now = Date.now();
    if (now - (this.saidAt.get(line) ?? -Infinity) < SAY_AGAIN_MS) return;
    this.saidAt.set(line, now);
    this.log([line, ...details].join('\n'));
  }
}
