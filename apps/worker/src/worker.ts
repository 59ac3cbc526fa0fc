import { EvaluationSupervisorService } from '@app/evaluation';
import { WebhookPublisherService, WebhookRetentionService } from '@app/events';
import { FileSweepService, StorageMarkerService } from '@app/files';
import { DocumentPurgeService, IndexWorker, SyncWorker, UploadMoveService } from '@app/knowledge';
import type { Config } from '@app/platform/config';
import { type Logger, Metrics, NestLogger, startTracing, telemetryConfig } from '@app/platform/observability';
import { DueWorkService, PartitionMaintenanceService, StorageAlarmService } from '@app/platform/database';
import { workerConfig, type WorkerTask } from '@app/platform/periodic';
import { JobWorker } from '@app/platform/queue';
import { type AddressConfig, addressConfig, receiveParentMessages } from '@app/platform/startup';
import { BulkActionWorker, RunRetentionService, RunStatisticsWorker, WorkerLifecycleService } from '@app/runs';
import { MailboxWatchWorker, PollWorker, SchedulerService, TriggerRetentionService } from '@app/triggers';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { JOB_CATALOG, jobProcessors } from './job-processors.js';
import { ProbeServer } from './probe-server.js';
import { WorkerModule } from './worker.module.js';

// Time limit in milliseconds for work that is in progress when the worker is stopped. A supervisor must wait longer
// than this before it kills the process, because closing the connections also takes time.
const DRAIN_MILLIS = 25_000;

/** The background tasks, in the order of their start. */
const WORKER_TASKS: readonly Type<WorkerTask>[] = [
  SchedulerService,
  TriggerRetentionService,
  RunRetentionService,
  RunStatisticsWorker,
  BulkActionWorker,
  PartitionMaintenanceService,
  EvaluationSupervisorService,
  DocumentPurgeService,
  FileSweepService,
  UploadMoveService,
  IndexWorker,
  WebhookPublisherService,
  WebhookRetentionService,
  MailboxWatchWorker,
  PollWorker,
  SyncWorker,
];

export class Worker {
  private constructor(
    private readonly app: INestApplicationContext,
    private readonly probes: ProbeServer | undefined,
  ) {}

  static async start(config: Config, prepares: boolean, logger: Logger): Promise<Worker> {
    const app = await NestFactory.createApplicationContext(
      WorkerModule.of(config, prepares, logger, await startTracing(config.get(telemetryConfig), 'worker', logger)),
      {
        logger: new NestLogger(logger),
        abortOnError: false,
      },
    );
    receiveParentMessages(app.get(StorageAlarmService, { strict: false }));
    const waiting = { problem: 'The worker has not yet seen the storage of files.' as string | undefined };
    const probes = await probeServer(app, config.get(addressConfig), waiting);
    // Without its files, a run would fail. The process ends by its signal while it waits, because it does nothing else.
    await app.get(StorageMarkerService).seen();
    await app.get(WorkerLifecycleService).start();
    waiting.problem = undefined;
    for (const task of WORKER_TASKS) await app.get(task, { strict: false }).start();
    // It starts last, so that its first question is for all tasks.
    app.get(DueWorkService).start(config.get(workerConfig).pollMillis);
    app.get(JobWorker).start(JOB_CATALOG, jobProcessors(app));
    return new Worker(app, probes);
  }

  /** Resolves when this process has lost its lease. The process must then end at once. */
  get leaseLost(): Promise<void> {
    return this.app.get(WorkerLifecycleService).leaseLost;
  }

  /**
   * Stops accepting jobs. Returns each run of this worker to the queue after the current step of the run. Then closes
   * the connections.
   */
  async stop(): Promise<void> {
    await Promise.all([
      this.app.get(WorkerLifecycleService).stop(DRAIN_MILLIS),
      ...WORKER_TASKS.map((task) => this.app.get(task, { strict: false }).stop(DRAIN_MILLIS)),
      this.app.get(DueWorkService).stop(),
      this.app.get(JobWorker).close({ drainMillis: DRAIN_MILLIS }),
    ]);
    await this.probes?.stop();
    await this.app.close();
  }
}

async function probeServer(
  app: INestApplicationContext,
  { workerPort: port, host }: AddressConfig,
  waiting: { problem: string | undefined },
): Promise<ProbeServer | undefined> {
  if (port === 0) return undefined;
  const lifecycle = app.get(WorkerLifecycleService);
  return ProbeServer.start({
    port,
    host,
    isAlive: () => waiting.problem !== undefined || lifecycle.isAlive,
    filesProblem: () => waiting.problem,
    metrics: app.get(Metrics),
  });
}
