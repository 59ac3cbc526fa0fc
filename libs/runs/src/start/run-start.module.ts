import { AgentsModule } from '@app/agents';
import { Clock, systemClock } from '@app/kernel';
import { QueueModule } from '@app/platform/queue';
import { IdempotencyModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { BudgetsModule } from '../calls/budgets.module.js';
import { RunPrivacyModule } from '../privacy/run-privacy.module.js';
import { RunQueriesModule } from '../read/run-queries.module.js';
import { RunStoreModule } from '../store/run-store.module.js';
import { BackpressureService } from './backpressure.service.js';
import { NewRunsService } from './new-runs.service.js';
import { RunIntakeService } from './run-intake.service.js';

@Module({
  imports: [
    AgentsModule,
    BudgetsModule,
    IdempotencyModule,
    QueueModule,
    RunPrivacyModule,
    RunQueriesModule,
    RunStoreModule,
  ],
  providers: [{ provide: Clock, useValue: systemClock }, BackpressureService, NewRunsService, RunIntakeService],
  exports: [BackpressureService, NewRunsService, RunIntakeService],
})
export class RunStartModule {}
