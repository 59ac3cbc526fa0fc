import { AgentsModule } from '@app/agents';
import { Clock, systemClock } from '@app/kernel';
import { EgressModule } from '@app/platform/egress';
import { SecretsModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RunExecutionModule } from '@app/runs';
import { TriggersModule } from '../../triggers.module.js';
import { FoundMails } from './found-mails.service.js';
import { MailboxWatchEntity } from './mailbox-watch.entity.js';
import { MailboxWatchRepository } from './mailbox-watch.repository.js';
import { MailboxWatcher } from './mailbox-watcher.service.js';
import { MailboxWatchers } from './mailbox-watchers.service.js';

/** Watching IMAP folders: part of a worker, which has the lease that the watches hang on. */
@Module({
  imports: [
    AgentsModule,
    EgressModule,
    RunExecutionModule,
    SecretsModule,
    TriggersModule,
    TypeOrmModule.forFeature([MailboxWatchEntity]),
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    FoundMails,
    MailboxWatchRepository,
    MailboxWatcher,
    MailboxWatchers,
  ],
  exports: [MailboxWatchers],
})
export class MailboxWatchingModule {}
