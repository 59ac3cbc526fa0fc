import { AgentsModule } from '@app/agents';
import { Clock, systemClock } from '@app/kernel';
import { RunWorkerModule } from '@app/runs';
import { Module } from '@nestjs/common';
import { TriggersModule } from '../triggers.module.js';
import { PollStore } from './poll.store.js';
import { PollWorker } from './poll.worker.js';
import { PollsService } from './polls.service.js';

@Module({
  imports: [AgentsModule, RunWorkerModule, TriggersModule],
  providers: [{ provide: Clock, useValue: systemClock }, PollStore, PollsService, PollWorker],
  exports: [PollWorker],
})
export class PollingModule {}
