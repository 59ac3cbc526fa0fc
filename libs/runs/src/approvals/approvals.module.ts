import { AgentsModule } from '@app/agents';
import { QueueModule } from '@app/platform/queue';
import { PeopleModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { RunPrivacyModule } from '../privacy/run-privacy.module.js';
import { RunQueriesModule } from '../read/run-queries.module.js';
import { ApprovalDecisions } from './approval-decisions.service.js';
import { ApprovalEdits } from './approval-edits.service.js';
import { ApprovalStore } from './approval.store.js';

/** Deciding about approvals. */
@Module({
  imports: [AgentsModule, PeopleModule, QueueModule, RunPrivacyModule, RunQueriesModule],
  providers: [ApprovalDecisions, ApprovalEdits, ApprovalStore],
  exports: [ApprovalDecisions, ApprovalStore],
})
export class ApprovalsModule {}
