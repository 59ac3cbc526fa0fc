import { AgentsModule } from '@app/agents';
import { Module } from '@nestjs/common';
import { RunStoreModule } from '../store/run-store.module.js';
import { OpenedRuns } from './opened-runs.service.js';
import { RunPrivacies } from './run-privacies.service.js';

/** Sealing and opening the redacted values of runs. */
@Module({
  imports: [AgentsModule, RunStoreModule],
  providers: [OpenedRuns, RunPrivacies],
  exports: [OpenedRuns, RunPrivacies],
})
export class RunPrivacyModule {}
