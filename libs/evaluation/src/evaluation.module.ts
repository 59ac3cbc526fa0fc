import { AgentsModule, ForeignNamesService } from '@app/agents';
import { FilesModule, FixturesService } from '@app/files';
import { Clock, systemClock } from '@app/kernel';
import { QueueModule } from '@app/platform/queue';
import { RunsModule } from '@app/runs';
import { IdempotencyModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CaseFilesService } from './case-files.service.js';
import { EvaluationLifecycleService } from './evaluation-lifecycle.service.js';
import { EvaluationSupervisorService } from './evaluation-supervisor.service.js';
import { EvaluationRunnerService } from './evaluation-runner.service.js';
import { EvaluationTrialEntity } from './evaluation-trial.entity.js';
import { EvaluationTrialsService } from './evaluation-trials.service.js';
import { JudgeService } from './judge.service.js';
import { JudgementsRepository } from './judgements.repository.js';
import { TrialGradingService } from './trial-grading.service.js';
import { TrialsRepository } from './trials.repository.js';
import { VersionEvaluationsService } from './version-evaluations.service.js';

@Module({
  imports: [
    AgentsModule,
    FilesModule,
    IdempotencyModule,
    QueueModule,
    RunsModule,
    WorkspaceModule,
    TypeOrmModule.forFeature([EvaluationTrialEntity]),
  ],
  providers: [
    { provide: Clock, useValue: systemClock },
    CaseFilesService,
    EvaluationLifecycleService,
    EvaluationSupervisorService,
    EvaluationRunnerService,
    EvaluationTrialsService,
    JudgeService,
    JudgementsRepository,
    TrialGradingService,
    TrialsRepository,
    VersionEvaluationsService,
  ],
  exports: [EvaluationSupervisorService, VersionEvaluationsService],
})
export class EvaluationModule {
  /** The libs of agents and files do not import each other. */
  constructor(names: ForeignNamesService, fixtures: FixturesService) {
    names.lookUpWith('fixtures', (workspaceId, asked) => fixtures.missing(workspaceId, asked));
  }
}
