import { AgentsModule } from '@app/agents';
import { Module } from '@nestjs/common';
import { RunStoreModule } from '../store/run-store.module.js';
import { OpenedRunsService } from './opened-runs.service.js';
import { RunPrivaciesService } from './run-privacies.service.js';

@Module({
  imports: [AgentsModule, RunStoreModule],
  providers: [OpenedRunsService, RunPrivaciesService],
  exports: [OpenedRunsService, RunPrivaciesService],
})
export class RunPrivacyModule {}
