import { Clock, systemClock } from '@app/kernel';
import { WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RunPrivacyModule } from '../privacy/run-privacy.module.js';
import { Approval } from '../records/approval.entity.js';
import { BudgetReservation } from '../records/budget-reservation.entity.js';
import { ChildRun } from '../records/child-run.entity.js';
import { ModelUsage } from '../records/model-usage.entity.js';
import { RunStep } from '../records/run-step.entity.js';
import { Run } from '../records/run.entity.js';
import { ApprovalQueries } from './approval-queries.service.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { RevealedRuns } from './revealed-runs.service.js';
import { RunQueries } from './run-queries.service.js';
import { RunsRepository } from './runs.repository.js';
import { UsageQueries } from './usage-queries.service.js';

/** Reading runs, approvals and usage. It registers the entities of this lib. */
@Module({
  imports: [
    RunPrivacyModule,
    WorkspaceModule,
    TypeOrmModule.forFeature([Run, RunStep, ChildRun, Approval, ModelUsage, BudgetReservation]),
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    ApprovalQueries,
    ApprovalsRepository,
    RevealedRuns,
    RunQueries,
    RunsRepository,
    UsageQueries,
  ],
  exports: [ApprovalQueries, RevealedRuns, RunQueries, RunsRepository, UsageQueries],
})
export class RunQueriesModule {}
