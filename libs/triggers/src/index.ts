export { EmailIntake, together, type MailVerdict, type ArrivedMail } from './email/email-intake.service.js';
export { MailboxWatchers } from './email/imap/mailbox-watchers.service.js';
export { MailboxWatchingModule } from './email/imap/mailbox-watching.module.js';
export { ScheduleKeeper } from './schedule-keeper.service.js';
export { type RunNow, ScheduledRuns } from './scheduled-runs.service.js';
export { SchedulesModule } from './schedules.module.js';
export type { EventRule } from './trigger-decision.js';
export type { TriggerEventFilter } from './trigger-event-filter.js';
export type { TriggerEventEntity } from './trigger-event.entity.js';
export type { ArrivedEvent, EventOutcome } from './trigger-intake.service.js';
export { TriggerJournal } from './trigger-journal.js';
export { TRIGGER_OUTCOMES, type TriggerOutcome } from './trigger-outcome.js';
export { type TriggerHealth, TriggerQueries } from './trigger-queries.service.js';
export { TriggerRetention } from './trigger-retention.service.js';
export { TriggersModule } from './triggers.module.js';
export {
  type WebhookAnswer,
  type WebhookDelivery,
  WebhookIntake,
  type DeliveryName,
} from './webhook-intake.service.js';
export { triggersSchema } from './migrations/index.js';
export { type EmailConfig, emailConfig } from './email/email.config.js';
