import { Clock, systemClock } from '@app/kernel';
import { PeopleModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RunPrivacyModule } from '../privacy/run-privacy.module.js';
import { ApprovalEntity } from '../records/approval.entity.js';
import { RunStepEntity } from '../records/run-step.entity.js';
import { RunEntity } from '../records/run.entity.js';
import { ApprovalQueriesService } from './approval-queries.service.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { RevealedRunsService } from './revealed-runs.service.js';
import { RunAgentsService } from './run-agents.service.js';
import { RunQueriesService } from './run-queries.service.js';
import { RunsRepository } from './runs.repository.js';
import { UsageQueriesService } from './usage-queries.service.js';

/** Reads runs, approvals and usage. Registers the entities of this library. */
@Module({
  imports: [
    PeopleModule,
    RunPrivacyModule,
    WorkspaceModule,
    TypeOrmModule.forFeature([RunEntity, RunStepEntity, ApprovalEntity]),
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    ApprovalQueriesService,
    ApprovalsRepository,
    RevealedRunsService,
    RunAgentsService,
    RunQueriesService,
    RunsRepository,
    UsageQueriesService,
  ],
  exports: [
    ApprovalQueriesService,
    RevealedRunsService,
    RunAgentsService,
    RunQueriesService,
    RunsRepository,
    UsageQueriesService,
  ],
})
export class RunQueriesModule {}
