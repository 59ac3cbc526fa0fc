import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import type { Clock } from '@app/kernel';
import { apiConfig } from '@app/installation/settings';
import type { Config } from '@app/platform/config';
import { databaseConfig, requireDatabaseUrl } from '@app/platform/database';
import {
  type Logger,
  loggingConfig,
  type Measurement,
  type Metrics,
  telemetryConfig,
} from '@app/platform/observability';
import { workerConfig } from '@app/platform/periodic';
import { rateLimitsConfig } from '@app/platform/rate-limits';
import { redisConfig } from '@app/platform/redis';
import { addressConfig } from '@app/platform/startup';
import { signInConfig } from '@app/workspace';
import { newHeartbeat, startHeartbeat } from './main-thread-watch.js';
import type { MessageToMain, MessageToThread, ProcessSettings, ThreadSettings } from './thread-messages.js';

const PROGRAM = new URL('./stop-listener-thread.js', import.meta.url);
/** Pause in milliseconds before the restart of a thread that crashed within `HEALTHY_MILLIS` after its launch. */
const RESTART_MILLIS = 1_000;
/** Time in milliseconds. If a thread crashes after it has run for longer than this, it is restarted without a pause. */
const HEALTHY_MILLIS = 10_000;
/** Time in milliseconds within which the thread must exit after the API has ended. */
const END_MILLIS = 3_000;
/**
 * Size in megabytes of each half of V8's memory for young objects in the thread, which creates few. `resourceLimits` of
 * a thread have no effect in a process that was started with this option.
 */
const SEMI_SPACE = 1;

interface Start {
  resolve: (port: number) => void;
  reject: (error: unknown) => void;
}

/**
 * Starts the thread that serves the emergency stop on a port of its own, see stop-listener-thread.ts. The thread starts
 * before the API is created, so that both start in parallel. A crashed thread is restarted.
 */
export class StopListener {
  private readonly heartbeat = newHeartbeat();
  private readonly endHeartbeat = startHeartbeat(this.heartbeat);
  private readonly started: Promise<number>;
  private start: Start | undefined;
  private worker: Worker;
  private metrics: Metrics | undefined;
  /** What the thread measured before the main thread could count it. */
  private readonly early: Measurement[] = [];
  private isEnding = false;

  constructor(
    /** A restarted thread uses the port that the first one has chosen. */
    private address: { host: string; port: number },
    private readonly settings: ProcessSettings,
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
   * Resolves with the port when clients can connect to it. The thread serves the given metrics, which count its requests.
   * @throws Error if the port is in use, or if the thread cannot start
   */
  serve(metrics: Metrics): Promise<number> {
    this.metrics = metrics;
    for (const measurement of this.early.splice(0)) metrics.count(measurement);
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
    const { address, heartbeat, prepares } = this;
    const settings: ThreadSettings = { ...this.settings, ...address, heartbeat, isFirst, prepares };
    // V8 reads the option when a thread starts. The heap of this thread keeps its size.
    setFlagsFromString(`--max-semi-space-size=${SEMI_SPACE}`);
    const worker = new Worker(PROGRAM, {
      name: 'stop-listener',
      workerData: settings,
      // The thread does not preload the modules that the API process preloads.
      execArgv: [],
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
    if (this.isEnding) return;
    this.logger.warn('stop listener: restarting');
    this.worker = this.launch(false);
  }

  private receive(message: MessageToMain): void {
    if (message.type === 'ask-metrics') void this.sendMetrics();
    else if (message.type === 'measured') this.count(message.measurement);
    else if (message.type === 'failed') this.start?.reject(message.error);
    else {
      this.address = { ...this.address, port: message.port };
      this.start?.resolve(message.port);
    }
  }

  private count(measurement: Measurement): void {
    if (this.metrics) this.metrics.count(measurement);
    else this.early.push(measurement);
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

/** Returns the settings of the thread, which reads none itself. */
export function processSettings(config: Config): ProcessSettings {
  const { publicUrl, host } = config.get(addressConfig);
  return {
    databaseUrl: requireDatabaseUrl(config.get(databaseConfig)),
    address: { publicUrl, host },
    allowsInsecureCookies: config.get(signInConfig).allowsInsecureCookies,
    logging: config.get(loggingConfig),
    telemetry: config.get(telemetryConfig),
    rateLimits: config.get(rateLimitsConfig),
    redis: config.get(redisConfig),
    stallLimitMillis: config.get(apiConfig).stallLimitMillis,
    startBudgetMillis: config.get(workerConfig).startBudgetMillis,
  };
}
