import { AgentsModule } from '@app/agents';
import { Clock, systemClock } from '@app/kernel';
import { QueueModule } from '@app/platform/queue';
import { WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApprovalDecisions } from './approval-decisions.service.js';
import { ApprovalJournal } from './approval-journal.js';
import { ApprovalQueries } from './approval-queries.service.js';
import { Approval } from './approval.entity.js';
import { ApprovalsRepository } from './approvals.repository.js';
import { Run } from './run.entity.js';
import { Backpressure } from './backpressure.service.js';
import { RunCancellation } from './run-cancellation.service.js';
import { RunIntake } from './run-intake.service.js';
import { RunJournal } from './run-journal.js';
import { RunQueries } from './run-queries.service.js';
import { RunReplays } from './run-replays.service.js';
import { RunStep } from './run-step.entity.js';
import { RunWatcher } from './run-watcher.service.js';
import { RunsRepository } from './runs.repository.js';
import { WatchedRunsRepository } from './watched-runs.repository.js';
import { Fleet } from './fleet.js';

/** Starting, reading and cancelling runs and deciding about their approvals: what the api needs. */
@Module({
  imports: [AgentsModule, QueueModule, WorkspaceModule, TypeOrmModule.forFeature([Run, RunStep, Approval])],
  providers: [
    { provide: Clock, useValue: systemClock },
    ApprovalDecisions,
    ApprovalJournal,
    ApprovalQueries,
    ApprovalsRepository,
    Backpressure,
    Fleet,
    RunCancellation,
    RunIntake,
    RunJournal,
    RunQueries,
    RunReplays,
    RunWatcher,
    RunsRepository,
    WatchedRunsRepository,
  ],
  exports: [
    ApprovalDecisions,
    ApprovalJournal,
    ApprovalQueries,
    Fleet,
    RunCancellation,
    RunIntake,
    RunJournal,
    RunQueries,
    RunReplays,
    RunWatcher,
  ],
})
export class RunsModule {}
