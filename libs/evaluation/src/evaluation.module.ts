import { AgentsModule } from '@app/agents';
import { Clock, systemClock } from '@app/kernel';
import { QueueModule } from '@app/platform/queue';
import { ModelNetworkModule, RunPrivacyModule, RunStartModule, RunStoreModule } from '@app/runs';
import { IdempotencyModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EvaluationBeginning } from './evaluation-beginning.service.js';
import { EvaluationCancellation } from './evaluation-cancellation.service.js';
import { EvaluationKeeper } from './evaluation-keeper.service.js';
import { EvaluationRunner } from './evaluation-runner.service.js';
import { EvaluationTrialEntity } from './evaluation-trial.entity.js';
import { EvaluationTrials } from './evaluation-trials.service.js';
import { GradedRuns } from './graded-runs.service.js';
import { Judge } from './judge.service.js';
import { JudgementsRepository } from './judgements.repository.js';
import { Judgements } from './judgements.service.js';
import { TrialStarter } from './trial-starter.service.js';
import { TrialsRepository } from './trials.repository.js';
import { VersionEvaluations } from './version-evaluations.service.js';

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
    EvaluationBeginning,
    EvaluationCancellation,
    EvaluationKeeper,
    EvaluationRunner,
    EvaluationTrials,
    GradedRuns,
    Judge,
    Judgements,
    JudgementsRepository,
    TrialStarter,
    TrialsRepository,
    VersionEvaluations,
  ],
  exports: [EvaluationCancellation, EvaluationKeeper, VersionEvaluations],
})
export class EvaluationModule {}
