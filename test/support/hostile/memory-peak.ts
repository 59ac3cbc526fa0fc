import { memoryUsage } from 'node:process';

const LOOK_MILLIS = 20;
const MIB = 1024 * 1024;

export class MemoryPeak {
  private readonly before = memoryUsage.rss();
  private peak = this.before;
  private readonly timer = setInterval(() => this.look(), LOOK_MILLIS).unref();

  /** Returns the largest growth of resident memory since the start, in MiB. */
  growthMegabytes(): number {
    this.look();
    return (this.peak - this.before) / MIB;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    this.peak = Math.max(this.peak, memoryUsage.rss());
  }
}
