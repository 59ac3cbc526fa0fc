import { EvaluationSupervisorService } from '@app/evaluation';
import { WebhookPublisherService, WebhookRetentionService } from '@app/events';
import { DocumentPurgeService, IndexWorker, SyncWorker } from '@app/knowledge';
import { PartitionMaintenanceService } from '@app/platform/database';
import type { WorkerTask } from '@app/platform/periodic';
import { BulkActionWorker, RunRetentionService, RunStatisticsWorker } from '@app/runs';
import { MailboxWatchWorker, PollWorker, SchedulerService, TriggerRetentionService } from '@app/triggers';
import type { Type } from '@nestjs/common';

/** The background tasks, in the order of their start. They are stopped together. */
export const WORKER_TASKS: readonly Type<WorkerTask>[] = [
  SchedulerService,
  TriggerRetentionService,
  RunRetentionService,
  RunStatisticsWorker,
  BulkActionWorker,
  PartitionMaintenanceService,
  EvaluationSupervisorService,
  DocumentPurgeService,
  IndexWorker,
  WebhookPublisherService,
  WebhookRetentionService,
  MailboxWatchWorker,
  PollWorker,
  SyncWorker,
];
