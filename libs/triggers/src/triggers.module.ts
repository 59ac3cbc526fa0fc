import { AgentsModule } from '@app/agents';
import { Clock, systemClock } from '@app/kernel';
import { QueueModule } from '@app/platform/queue';
import { WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RunQueriesModule, RunStartModule } from '@app/runs';
import { ScheduledRuns } from './scheduled-runs.service.js';
import { TriggerEventEntity } from './trigger-event.entity.js';
import { TriggerIntake } from './trigger-intake.service.js';
import { TriggerJournal } from './trigger-journal.js';
import { TriggerLogRepository } from './trigger-log.repository.js';
import { TriggerQueries } from './trigger-queries.service.js';
import { TriggerReceiptEntity } from './trigger-receipt.entity.js';
import { EmailIntake } from './email/email-intake.service.js';
import { EmailReader } from './email/email-reader.service.js';
import { MailboxRepository } from './email/mailbox.repository.js';
import { TriggerEntity } from './trigger.entity.js';
import { TriggerRepository } from './trigger.repository.js';
import { WebhookIntake } from './webhook-intake.service.js';

/** What starts runs besides requests, as far as all kinds of it have it in common; and reading about it. */
@Module({
  imports: [
    RunQueriesModule,
    RunStartModule,
    AgentsModule,
    QueueModule,
    WorkspaceModule,
    TypeOrmModule.forFeature([TriggerEntity, TriggerEventEntity, TriggerReceiptEntity]),
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    EmailIntake,
    EmailReader,
    MailboxRepository,
    ScheduledRuns,
    TriggerIntake,
    TriggerJournal,
    TriggerLogRepository,
    TriggerQueries,
    TriggerRepository,
    WebhookIntake,
  ],
  exports: [EmailIntake, EmailReader, ScheduledRuns, TriggerIntake, TriggerJournal, TriggerQueries, WebhookIntake],
})
export class TriggersModule {}
