import { AgentsModule } from '@app/agents';
import { Clock, systemClock } from '@app/kernel';
import { QueueModule } from '@app/platform/queue';
import { IdempotencyModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { BudgetsModule } from '../calls/budgets.module.js';
import { RunPrivacyModule } from '../privacy/run-privacy.module.js';
import { RunQueriesModule } from '../read/run-queries.module.js';
import { RunStoreModule } from '../store/run-store.module.js';
import { Backpressure } from './backpressure.service.js';
import { FairShares } from './fair-shares.js';
import { NewRuns } from './new-runs.service.js';
import { RunCancellation } from './run-cancellation.service.js';
import { RunIntake } from './run-intake.service.js';

/** Starting and cancelling runs. */
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
  providers: [{ provide: Clock, useValue: systemClock }, Backpressure, FairShares, NewRuns, RunCancellation, RunIntake],
  exports: [Backpressure, NewRuns, RunCancellation, RunIntake],
})
export class RunStartModule {}
