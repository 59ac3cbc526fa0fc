import { AgentsModule } from '@app/agents';
import { FilesModule } from '@app/files';
import { Clock, systemClock } from '@app/kernel';
import { EgressModule } from '@app/platform/egress';
import { RunWorkerModule } from '@app/runs';
import { SecretsModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { ImapIntakeService } from './email/imap/imap-intake.service.js';
import { MailboxWatchRepository } from './email/imap/mailbox-watch.repository.js';
import { MailboxWatchWorker } from './email/imap/mailbox-watch.worker.js';
import { MailboxWatcherService } from './email/imap/mailbox-watcher.service.js';
import { PollStore } from './poll/poll.store.js';
import { PollWorker } from './poll/poll.worker.js';
import { PollsService } from './poll/polls.service.js';
import { ScheduleStore } from './schedule.store.js';
import { SchedulerService } from './scheduler.service.js';
import { TriggerRetentionService } from './trigger-retention.service.js';
import { TriggersModule } from './triggers.module.js';

@Module({
  imports: [AgentsModule, EgressModule, FilesModule, RunWorkerModule, SecretsModule, TriggersModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    ImapIntakeService,
    MailboxWatchRepository,
    MailboxWatchWorker,
    MailboxWatcherService,
    PollStore,
    PollWorker,
    PollsService,
    ScheduleStore,
    SchedulerService,
    TriggerRetentionService,
  ],
  exports: [MailboxWatchWorker, PollWorker, SchedulerService, TriggerRetentionService],
})
export class TriggerWorkerModule {}
