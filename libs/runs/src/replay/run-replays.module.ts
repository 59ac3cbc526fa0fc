import { AgentsModule } from '@app/agents';
import { Module } from '@nestjs/common';
import { RunPrivacyModule } from '../privacy/run-privacy.module.js';
import { RunQueriesModule } from '../read/run-queries.module.js';
import { RunStartModule } from '../start/run-start.module.js';
import { RunReplaysService } from './run-replays.service.js';

@Module({
  imports: [AgentsModule, RunPrivacyModule, RunQueriesModule, RunStartModule],
  providers: [RunReplaysService],
  exports: [RunReplaysService],
})
export class RunReplaysModule {}
