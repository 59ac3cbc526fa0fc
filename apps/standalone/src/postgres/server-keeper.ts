import type { Cluster } from './cluster.js';
import { isDown } from './postmaster.js';

const LOOK_EVERY_MS = 1_000;

/** Watches a server and starts it again when it is gone without having been stopped. */
export class ServerKeeper {
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> = Promise.resolve();
  private ended = false;

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

  /** Resolves when no start is under way any more; whoever stops the server calls it first. */
  async end(): Promise<void> {
    this.ended = true;
    clearTimeout(this.timer);
    await this.looking;
  }

  private async look(): Promise<void> {
    try {
      if (!(await isDown(this.cluster)) || this.ended) return;
      this.log('PostgreSQL was killed, starting it again');
      await this.bringUp();
      this.log('PostgreSQL is ready again');
    } catch (error) {
      this.log(`PostgreSQL could not be started again: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
