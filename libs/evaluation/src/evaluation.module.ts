import { AgentsModule } from '@app/agents';
import { Clock, systemClock } from '@app/kernel';
import { QueueModule } from '@app/platform/queue';
import { ModelNetworkModule, RunPrivacyModule, RunStartModule, RunStoreModule } from '@app/runs';
import { IdempotencyModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EvaluationStartService } from './evaluation-start.service.js';
import { EvaluationCancellationService } from './evaluation-cancellation.service.js';
import { EvaluationSupervisorService } from './evaluation-supervisor.service.js';
import { EvaluationRunnerService } from './evaluation-runner.service.js';
import { EvaluationTrialEntity } from './evaluation-trial.entity.js';
import { EvaluationTrialsService } from './evaluation-trials.service.js';
import { RunGradingService } from './run-grading.service.js';
import { JudgeService } from './judge.service.js';
import { JudgementsRepository } from './judgements.repository.js';
import { JudgementsService } from './judgements.service.js';
import { TrialStarterService } from './trial-starter.service.js';
import { TrialsRepository } from './trials.repository.js';
import { VersionEvaluationsService } from './version-evaluations.service.js';

@Module({
  imports: [
    AgentsModule,
    IdempotencyModule,
    ModelNetworkModule,
    QueueModule,
    RunPrivacyModule,
    RunStartModule,
    RunStoreModule,
    WorkspaceModule,
    TypeOrmModule.forFeature([EvaluationTrialEntity]),
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    EvaluationStartService,
    EvaluationCancellationService,
    EvaluationSupervisorService,
    EvaluationRunnerService,
    EvaluationTrialsService,
    RunGradingService,
    JudgeService,
    JudgementsService,
    JudgementsRepository,
    TrialStarterService,
    TrialsRepository,
    VersionEvaluationsService,
  ],
  exports: [EvaluationCancellationService, EvaluationSupervisorService, VersionEvaluationsService],
})
export class EvaluationModule {}
