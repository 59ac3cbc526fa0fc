import { Worker } from 'node:worker_threads';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Clock } from '@app/kernel';
import { type Logger, Metrics } from '@app/platform/observability';
import { newForwardAddress, serveForwarded } from './forwarded-connection.js';
import { newHeartbeat, startHeartbeat } from './main-thread-watch.js';
import type { MessageToMain, MessageToThread, ThreadSettings } from './thread-messages.js';

const PROGRAM = new URL('./stop-listener-thread.js', import.meta.url);
/** Pause in milliseconds before the restart of a thread that crashed within `HEALTHY_MILLIS` after its launch. */
const RESTART_MILLIS = 1_000;
/** Time in milliseconds. If a thread crashes after it has run for longer than this, it is restarted without a pause. */
const HEALTHY_MILLIS = 10_000;
/** Time in milliseconds within which the thread must exit after the API has ended. */
const END_MILLIS = 3_000;
/**
 * Maximum size of V8's young generation in megabytes. The thread creates few objects, and V8 would reserve more by
 * default.
 */
const YOUNG_GENERATION = 8;

interface Start {
  resolve: (port: number) => void;
  reject: (error: unknown) => void;
}

/**
 * Starts the thread that owns the port of the API, see stop-listener-thread.ts. The thread starts before the API is
 * created, so that both start in parallel. A crashed thread is restarted.
 */
export class StopListener {
  private readonly address = newForwardAddress();
  private readonly heartbeat = newHeartbeat();
  private readonly endHeartbeat = startHeartbeat(this.heartbeat);
  private readonly started: Promise<number>;
  private start: Start | undefined;
  private worker: Worker;
  private metrics: Metrics | undefined;
  private isReady = false;
  private isEnding = false;
  private host = '';
  /**
   * Port on which the thread listens. Undefined before the first thread listens. A restarted thread uses the same port.
   */
  private port: number | undefined;

  constructor(
    private readonly prepares: boolean,
    private readonly logger: Logger,
    private readonly clock: Clock,
  ) {
    this.started = new Promise((resolve, reject) => (this.start = { resolve, reject }));
    this.started.then(
      () => (this.start = undefined),
      () => undefined,
    );
    this.worker = this.launch(true);
  }

  /**
   * Resolves with the port when clients can connect to it.
   * @throws Error if the port is in use, or if the thread cannot start
   */
  async serve(app: NestExpressApplication, { host, port }: { host: string; port: number }): Promise<number> {
    this.metrics = app.get(Metrics);
    await serveForwarded(app.getHttpServer(), this.address);
    this.host = host;
    this.tell({ type: 'listen', host, port });
    return this.started;
  }

  /** Accepts no new connections. Open connections end when the API or the client closes them. */
  stopAccepting(): void {
    this.isEnding = true;
    this.tell({ type: 'end' });
  }

  async close(): Promise<void> {
    this.isEnding = true;
    const { worker } = this;
    const gone = new AbortController();
    worker.once('exit', () => gone.abort());
    if (worker.threadId > 0) await this.clock.sleep(END_MILLIS, gone.signal);
    await worker.terminate();
    this.endHeartbeat();
  }

  private launch(isFirst: boolean): Worker {
    const { address: main, heartbeat, prepares } = this;
    const settings: ThreadSettings = { main, heartbeat, isFirst, prepares };
    const worker = new Worker(PROGRAM, {
      name: 'stop-listener',
      workerData: settings,
      // The thread does not preload the modules that the API process preloads.
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION },
    });
    const launchedAt = this.clock.monotonicMillis();
    worker.on('message', (message: MessageToMain) => this.receive(message));
    worker.on('error', (error) => {
      this.logger.error({ err: error }, 'stop listener: crashed');
      this.start?.reject(error);
    });
    worker.on('exit', (code) => {
      this.start?.reject(new Error(`The thread of the stop listener ended with exit code ${code}.`));
      if (this.isEnding || this.start) return;
      const wasHealthy = this.clock.monotonicMillis() - launchedAt > HEALTHY_MILLIS;
      setTimeout(() => this.relaunch(), wasHealthy ? 0 : RESTART_MILLIS);
    });
    return worker;
  }

  private relaunch(): void {
    if (this.isEnding || this.port === undefined) return;
    this.logger.warn('stop listener: restarting');
    this.worker = this.launch(false);
    this.tell({ type: 'listen', host: this.host, port: this.port });
  }

  private receive(message: MessageToMain): void {
    if (message.type === 'ask-metrics') void this.sendMetrics();
    else if (message.type === 'counted') this.metrics?.include(message.metrics);
    else if (message.type === 'failed') this.onFailure(message.error);
    else {
      if (message.type === 'ready') this.isReady = true;
      else this.port = message.port;
      if (this.isReady && this.port !== undefined) this.start?.resolve(this.port);
    }
  }

  private onFailure(error: unknown): void {
    if (this.start) return this.start.reject(error);
    this.logger.error({ err: error }, 'stop listener: listening failed');
    void this.worker.terminate();
  }

  private async sendMetrics(): Promise<void> {
    try {
      const metrics = await this.metrics?.render();
      this.tell(metrics ? { type: 'metrics', metrics } : { type: 'metrics' });
    } catch (error) {
      this.logger.error({ err: error }, 'stop listener: reading the metrics failed');
      this.tell({ type: 'metrics' });
    }
  }

  private tell(message: MessageToThread): void {
    this.worker.postMessage(message);
  }
}
