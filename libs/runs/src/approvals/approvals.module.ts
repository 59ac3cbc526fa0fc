import { AgentsModule } from '@app/agents';
import { QueueModule } from '@app/platform/queue';
import { PeopleModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { RunPrivacyModule } from '../privacy/run-privacy.module.js';
import { RunQueriesModule } from '../read/run-queries.module.js';
import { ApprovalDecisionsService } from './approval-decisions.service.js';
import { ApprovalStore } from './approval.store.js';

@Module({
  imports: [AgentsModule, PeopleModule, QueueModule, RunPrivacyModule, RunQueriesModule],
  providers: [ApprovalDecisionsService, ApprovalStore],
  exports: [ApprovalDecisionsService, ApprovalStore],
})
export class ApprovalsModule {}
