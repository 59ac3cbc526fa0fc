import { AgentsModule } from '@app/agents';
import { Clock, systemClock } from '@app/kernel';
import { QueueModule } from '@app/platform/queue';
import { IdempotencyModule, PeopleModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApprovalDecisions } from './approvals/approval-decisions.service.js';
import { ApprovalEdits } from './approvals/approval-edits.service.js';
import { ApprovalJournal } from './approvals/approval-journal.js';
import { ApprovalQueries } from './approvals/approval-queries.service.js';
import { Approval } from './approvals/approval.entity.js';
import { ApprovalsRepository } from './approvals/approvals.repository.js';
import { ArchivedRuns } from './archiving/archived-runs.js';
import { ModelNetworkModule } from './models/model-network.module.js';
import { Run } from './run.entity.js';
import { Backpressure } from './backpressure.service.js';
import { BudgetReservation } from './costs/budget-reservation.entity.js';
import { ModelUsage } from './costs/model-usage.entity.js';
import { DayBudgets } from './costs/day-budgets.service.js';
import { RunCancellation } from './run-cancellation.service.js';
import { RunDrafts } from './run-drafts.service.js';
import { RunIntake } from './run-intake.service.js';
import { RunJournal } from './run-journal.js';
import { RunQueries } from './run-queries.service.js';
import { RunReplays } from './replay/run-replays.service.js';
import { RevealedRuns } from './privacy/revealed-runs.service.js';
import { RunPrivacies } from './privacy/run-privacies.service.js';
import { RunStep } from './run-step.entity.js';
import { RunTexts } from './live-view/run-texts.service.js';
import { RunWatcher } from './live-view/run-watcher.service.js';
import { RunsRepository } from './runs.repository.js';
import { UsageQueries } from './usage/usage-queries.service.js';
import { UsageRepository } from './usage/usage.repository.js';
import { WatchedRunsRepository } from './live-view/watched-runs.repository.js';
import { ChildRun } from './children/child-run.entity.js';
import { ChildRuns } from './children/child-runs.js';
import { FairShares } from './fair-shares.js';
import { Fleet } from './fleet.js';

/** Starting, reading and cancelling runs and deciding about their approvals: what the api needs. */
@Module({
  imports: [
    AgentsModule,
    IdempotencyModule,
    QueueModule,
    WorkspaceModule,
    PeopleModule,
    ModelNetworkModule,
    TypeOrmModule.forFeature([Run, RunStep, ChildRun, Approval, ModelUsage, BudgetReservation]),
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    ArchivedRuns,
    ApprovalDecisions,
    ApprovalEdits,
    ApprovalJournal,
    ApprovalQueries,
    ApprovalsRepository,
    Backpressure,
    ChildRuns,
    DayBudgets,
    FairShares,
    Fleet,
    RevealedRuns,
    RunCancellation,
    RunDrafts,
    RunIntake,
    RunJournal,
    RunPrivacies,
    RunQueries,
    RunReplays,
    RunTexts,
    RunWatcher,
    RunsRepository,
    UsageQueries,
    UsageRepository,
    WatchedRunsRepository,
  ],
  exports: [
    ArchivedRuns,
    DayBudgets,
    ApprovalDecisions,
    ApprovalJournal,
    ApprovalQueries,
    Backpressure,
    ChildRuns,
    Fleet,
    RevealedRuns,
    RunCancellation,
    RunDrafts,
    RunIntake,
    RunJournal,
    RunPrivacies,
    RunQueries,
    RunReplays,
    RunTexts,
    RunWatcher,
    UsageQueries,
  ],
})
export class RunsModule {}
