import { AgentsModule } from '@app/agents';
import { Clock, systemClock } from '@app/kernel';
import { EgressModule } from '@app/platform/egress';
import { SecretsModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { RunWorkerModule } from '@app/runs';
import { TriggersModule } from '../../triggers.module.js';
import { ImapIntakeService } from './imap-intake.service.js';
import { MailboxWatchRepository } from './mailbox-watch.repository.js';
import { MailboxWatcherService } from './mailbox-watcher.service.js';
import { MailboxWatchWorker } from './mailbox-watch.worker.js';

@Module({
  imports: [AgentsModule, EgressModule, RunWorkerModule, SecretsModule, TriggersModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    ImapIntakeService,
    MailboxWatchRepository,
    MailboxWatcherService,
    MailboxWatchWorker,
  ],
  exports: [MailboxWatchWorker],
})
export class MailboxWatchingModule {}
