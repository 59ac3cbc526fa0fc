export { EmailIntakeService, together, type MailVerdict, type ArrivedMail } from './email/email-intake.service.js';
export { MailboxWatchWorker } from './email/imap/mailbox-watch.worker.js';
export { PollWorker } from './poll/poll.worker.js';
export { SchedulerService } from './scheduler.service.js';
export { type RunNow, ScheduledRunsService } from './scheduled-runs.service.js';
export { TriggerWorkerModule } from './trigger-worker.module.js';
export type { EventRule } from './trigger-decision.js';
export { type TriggerEventFilter, TRIGGER_OUTCOMES, type TriggerOutcome } from './trigger-outcome.js';
export type { TriggerEventEntity } from './trigger-event.entity.js';
export type { ArrivedEvent, EventOutcome } from './trigger-intake.service.js';
export { TriggerEventStore } from './trigger-event.store.js';
export { type TriggerHealth, TriggerQueriesService } from './trigger-queries.service.js';
export { TriggerRetentionService } from './trigger-retention.service.js';
export { TriggersModule } from './triggers.module.js';
export {
  type WebhookAnswer,
  type WebhookDelivery,
  type WebhookCaller,
  WebhookIntakeService,
  type DeliveryName,
} from './webhook-intake.service.js';
export { WebhookConfirmationsService } from './webhook-confirmations.service.js';
export { webhookHandshake } from './webhook-handshake.js';
export { type SatisfiedTrigger, WebhookSendersService } from './webhook-senders.service.js';
export { triggersSchema } from './migrations/index.js';
export { type EmailConfig, emailConfig } from './email/email.config.js';
