import { AgentsModule } from '@app/agents';
import { FilesModule } from '@app/files';
import { Clock, systemClock } from '@app/kernel';
import { EgressModule } from '@app/platform/egress';
import { QueueModule } from '@app/platform/queue';
import { SecretsModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RunsModule } from '@app/runs';
import { ScheduledRunsService } from './scheduled-runs.service.js';
import { TriggerEventEntity } from './trigger-event.entity.js';
import { TriggerIntakeService } from './trigger-intake.service.js';
import { TriggerEventStore } from './trigger-event.store.js';
import { TriggerLogRepository } from './trigger-log.repository.js';
import { TriggerQueriesService } from './trigger-queries.service.js';
import { EmailFilesService } from './email/email-files.service.js';
import { EmailIntakeService } from './email/email-intake.service.js';
import { EmailReaderService } from './email/email-reader.service.js';
import { TriggerEntity } from './trigger.entity.js';
import { TriggerRepository } from './trigger.repository.js';
import { WebhookConfirmationsService } from './webhook-confirmations.service.js';
import { WebhookIntakeService } from './webhook-intake.service.js';
import { WebhookSendersService } from './webhook-senders.service.js';

@Module({
  imports: [
    RunsModule,
    AgentsModule,
    EgressModule,
    FilesModule,
    QueueModule,
    SecretsModule,
    WorkspaceModule,
    TypeOrmModule.forFeature([TriggerEntity, TriggerEventEntity]),
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    EmailFilesService,
    EmailIntakeService,
    EmailReaderService,
    ScheduledRunsService,
    TriggerIntakeService,
    TriggerEventStore,
    TriggerLogRepository,
    TriggerQueriesService,
    TriggerRepository,
    WebhookConfirmationsService,
    WebhookIntakeService,
    WebhookSendersService,
  ],
  exports: [
    EmailFilesService,
    EmailIntakeService,
    ScheduledRunsService,
    TriggerIntakeService,
    TriggerEventStore,
    TriggerQueriesService,
    WebhookConfirmationsService,
    WebhookIntakeService,
    WebhookSendersService,
  ],
})
export class TriggersModule {}
