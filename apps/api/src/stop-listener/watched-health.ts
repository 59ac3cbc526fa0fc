import { DomainError } from '@app/kernel';
import { ProcessHealth } from '../health/process-health.js';
import type { MainThreadWatch } from './main-thread-watch.js';
import type { RenderedMetrics } from './thread-messages.js';

/** Milliseconds without a turn of the main thread after which its last metrics are served. */
const STALLED_MILLIS = 1_000;

export interface WatchedHealthSettings {
  watch: MainThreadWatch;
  /** Milliseconds. */
  stallLimit: number;
  /** Asks the main thread for its metrics. */
  askForMetrics: () => void;
  now: () => number;
}

/** Health and metrics of the process as a thread beside the main thread sees them. */
export class WatchedHealth extends ProcessHealth {
  private last: { metrics: RenderedMetrics; receivedAt: number } | undefined;
  private waiting: (() => void)[] = [];

  constructor(private readonly settings: WatchedHealthSettings) {
    super();
  }

  assertHealthy(): void {
    const stalled = this.settings.watch.stalledMillis();
    if (stalled < this.settings.stallLimit) return;
    const seconds = Math.round(stalled / 1_000);
    throw new DomainError('unavailable', `The main thread has not run for ${seconds} s. Restart this process.`);
  }

  /** The metrics of the main thread: of now, or the last ones while it is blocked. */
  async renderMetrics(): Promise<RenderedMetrics> {
    await this.refresh();
    const { watch, now } = this.settings;
    const age = this.last ? (now() - this.last.receivedAt) / 1_000 : 0;
    const text = [
      this.last?.metrics.text.trimEnd(),
      ...gauge(
        'aas_main_thread_stalled_seconds',
        'Time since the event loop of the api ran.',
        watch.stalledMillis() / 1_000,
      ),
      ...gauge('aas_metrics_age_seconds', 'Age of the other metrics: they are older while the api is blocked.', age),
      '',
    ];
    const contentType = this.last?.metrics.contentType ?? 'text/plain; version=0.0.4; charset=utf-8';
    return { contentType, text: text.filter((line) => line !== undefined).join('\n') };
  }

  /** The main thread has answered, without metrics if it could not read them. */
  receiveMetrics(metrics?: RenderedMetrics): void {
    if (metrics) this.last = { metrics, receivedAt: this.settings.now() };
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  private async refresh(): Promise<void> {
    const answered = new AbortController();
    const answer = new Promise<void>((resolve) => this.waiting.push(resolve));
    // Requests that wait at the same time share the answer.
    if (this.waiting.length === 1) this.settings.askForMetrics();
    await Promise.race([answer, this.settings.watch.stalledFor(STALLED_MILLIS, answered.signal)]);
    answered.abort();
  }
}

function gauge(name: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${value}`];
}
