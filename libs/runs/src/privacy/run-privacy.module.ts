import { AgentsModule } from '@app/agents';
import { Module } from '@nestjs/common';
import { RunStoreModule } from '../store/run-store.module.js';
import { RunPrivaciesService } from './run-privacies.service.js';

@Module({
  imports: [AgentsModule, RunStoreModule],
  providers: [RunPrivaciesService],
  exports: [RunPrivaciesService],
})
export class RunPrivacyModule {}
