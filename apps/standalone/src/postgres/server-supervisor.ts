import { errorText } from '@app/kernel';

import type { Cluster } from './cluster.js';
import { isDown } from './postmaster.js';

const CHECK_EVERY_MS = 1_000;
const REPEAT_AFTER_MS = 60_000;

export class ServerSupervisor {
  private timer: NodeJS.Timeout | undefined;
  private checking: Promise<void> = Promise.resolve();
  private isStopped = false;
  private readonly loggedAt = new Map<string, number>();

  constructor(
    private readonly cluster: Cluster,
    private readonly bringUp: () => Promise<number>,
    private readonly log: (line: string) => void,
  ) {}

  start(): void {
    if (this.isStopped || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.checking = this.restartIfDown().finally(() => this.start());
    }, CHECK_EVERY_MS);
    this.timer.unref();
  }

  /** If a restart is in progress, resolves after it. Call this method before stopping the server. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.checking;
  }

  private async restartIfDown(): Promise<void> {
    try {
      if (!(await isDown(this.cluster)) || this.isStopped) return;
      this.logOncePerMinute('PostgreSQL ended unexpectedly, restarting it');
      await this.bringUp();
      this.log('PostgreSQL is ready again');
      this.loggedAt.clear();
    } catch (error) {
      const [reason = '', ...details] = errorText(error).split('\n');
      this.logOncePerMinute(`restarting PostgreSQL failed: ${reason}`, details);
    }
  }

  /** Logs the same line at most once a minute, even if its details differ. */
  private logOncePerMinute(line: string, details: readonly string[] = []): void {
    const now = Date.now();
    if (now - (this.loggedAt.get(line) ?? -Infinity) < REPEAT_AFTER_MS) return;
    this.loggedAt.set(line, now);
    this.log([line, ...details].join('\n'));
  }
}
