import { createLogger, Metrics } from '@app/platform/observability';
import { defineJob, type JobCatalog, type JobProcessors } from '../job.js';
import { JobQueueService } from '../job-queue.service.js';
import { JobWorker, type JobWorkerOptions } from '../job.worker.js';
import { openQueueConnection } from '../open-queue-connection.js';
import type { QueueConnection, QueueSettings } from '../queue-connection.js';

/** A job for tests. `n` identifies the job. */
export const COUNT = defineJob<{ n: number }>({ name: 'test.count', queue: 'test' });

interface LoggedLine {
  level: string;
  msg: string;
  err?: { type: string; message: string };
}

/** Returns the messages of the warnings. Throws if a warning was logged twice for the same cause. */
export function warningsOf(logged: readonly LoggedLine[]): Set<string> {
  const warnings = logged.filter(({ level }) => level === 'warn');
  const causes = warnings.map(({ msg, err }) => `${msg}: ${err?.type} ${err?.message}`);
  if (new Set(causes).size < causes.length) throw new Error(`Logged twice: ${causes.join(', ')}`);
  return new Set(warnings.map(({ msg }) => msg));
}

/** The queue of one process without Nest, and its log lines, oldest first. */
export interface QueueProcess {
  queue: JobQueueService;
  worker: JobWorker;
  connection: QueueConnection;
  logged: LoggedLine[];
  /** Starts the worker with a processor for {@link COUNT}. */
  onCount(process: (n: number) => Promise<void> | void, options?: JobWorkerOptions): void;
  jobs(outcome: 'sent' | 'merged' | 'dropped' | 'failed'): Promise<number>;
  close(): Promise<void>;
}

export function aQueueProcess(settings: QueueSettings): QueueProcess {
  const logged: LoggedLine[] = [];
  const destination = { write: (line: string) => void logged.push(JSON.parse(line)) };
  const logger = createLogger({ level: 'info', format: 'json', name: 'test', destination });
  const metrics = new Metrics();
  const connection = openQueueConnection(settings, 'publisher', () => undefined);
  const queue = new JobQueueService(connection, logger, metrics);
  const worker = new JobWorker(
    settings,
    { databaseUrl: settings.databaseUrl },
    { workerConcurrency: 16 },
    logger,
    metrics,
  );
  const catalog = { count: COUNT } satisfies JobCatalog;
  return {
    queue,
    worker,
    connection,
    logged,
    onCount: (process, options) => {
      const processors: JobProcessors<typeof catalog> = { count: async ({ n }) => process(n) };
      worker.start(catalog, processors, options);
    },
    jobs: async (outcome) => {
      const { text } = await metrics.render();
      return Number(new RegExp(`aas_queue_enqueued_jobs_total{.*outcome="${outcome}"} (\\d+)`).exec(text)?.[1] ?? 0);
    },
    close: async () => {
      await queue.close();
      await worker.close({ drainMillis: 2_000 });
    },
  };
}
