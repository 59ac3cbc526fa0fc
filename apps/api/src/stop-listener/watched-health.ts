import { DomainError } from '@app/kernel';
import type { MainThreadWatch } from './main-thread-watch.js';
import type { RenderedMetrics } from './thread-messages.js';

/**
 * If the main thread is blocked for this time (in ms), {@link WatchedHealth.renderMetrics} returns its last metrics.
 */
const STALLED_MILLIS = 1_000;

export interface WatchedHealthSettings {
  watch: MainThreadWatch;
  /** If the main thread is blocked for this time (in milliseconds), the process counts as unhealthy. */
  stallLimit: number;
  /** Asks the main thread for its metrics, which {@link WatchedHealth.receiveMetrics} receives. */
  askForMetrics: () => void;
  now: () => number;
}

/** Health and metrics of the main thread, observed from another thread. */
export class WatchedHealth {
  /** Port of this server. Null while it does not listen. */
  stopPort: number | null = null;
  private last: { metrics: RenderedMetrics; receivedAt: number } | undefined;
  private waiting: (() => void)[] = [];

  constructor(private readonly settings: WatchedHealthSettings) {}

  /** @throws DomainError `unavailable` if the process must be restarted */
  assertHealthy(): void {
    const stalled = this.settings.watch.stalledMillis();
    if (stalled < this.settings.stallLimit) return;
    const seconds = Math.round(stalled / 1_000);
    throw new DomainError('unavailable', `The main thread has not run for ${seconds} s. Restart this process.`);
  }

  /** Returns the current metrics of the main thread, or, if it is blocked, the last ones that it has sent. */
  async renderMetrics(): Promise<RenderedMetrics> {
    await this.refresh();
    const { watch, now } = this.settings;
    const age = this.last ? (now() - this.last.receivedAt) / 1_000 : 0;
    const text = [
      this.last?.metrics.text.trimEnd(),
      ...gauge(
        'aas_main_thread_stalled_seconds',
        'Seconds since the event loop of the API last ran.',
        watch.stalledMillis() / 1_000,
      ),
      ...gauge(
        'aas_metrics_age_seconds',
        'Age of the other metrics in seconds. It increases while the API is blocked.',
        age,
      ),
      '',
    ];
    const contentType = this.last?.metrics.contentType ?? 'text/plain; version=0.0.4; charset=utf-8';
    return { contentType, text: text.filter((line) => line !== undefined).join('\n') };
  }

  /** Receives the metrics from the main thread. `metrics` is undefined if the main thread could not read them. */
  receiveMetrics(metrics?: RenderedMetrics): void {
    if (metrics) this.last = { metrics, receivedAt: this.settings.now() };
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  private async refresh(): Promise<void> {
    const answered = new AbortController();
    const answer = new Promise<void>((resolve) => this.waiting.push(resolve));
    // Concurrent requests for metrics wait for the same response of the main thread.
    if (this.waiting.length === 1) this.settings.askForMetrics();
    await Promise.race([answer, this.settings.watch.stalledFor(STALLED_MILLIS, answered.signal)]);
    answered.abort();
  }
}

function gauge(name: string, help: string, value: number): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} gauge`, `${name} ${value}`];
}
