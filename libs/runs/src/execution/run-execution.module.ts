import { AgentsModule } from '@app/agents';
import { Clock, systemClock } from '@app/kernel';
import { SecretsModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { ModelsModule } from '../models/models.module.js';
import { RunPrivacyModule } from '../privacy/run-privacy.module.js';
import { RunStoreModule } from '../store/run-store.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { ActiveRuns } from './active-runs.js';
import { ComputingTurns } from './computing-turns.js';
import { RunAttempts } from './run-attempts.service.js';
import { RunClaims } from './run-claims.js';
import { RunExecutor } from './run-executor.service.js';
import { RunSignals } from './run-signals.service.js';
import { RunSlots } from './run-slots.js';
import { RunTelemetry } from './run-telemetry.service.js';
import { WorkerLease } from './worker-lease.service.js';

/** Claiming runs and carrying them out: part of every worker. */
@Module({
  imports: [AgentsModule, ModelsModule, RunPrivacyModule, RunStoreModule, SecretsModule, ToolsModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    ActiveRuns,
    ComputingTurns,
    RunAttempts,
    RunClaims,
    RunExecutor,
    RunSignals,
    RunSlots,
    RunTelemetry,
    WorkerLease,
  ],
  exports: [ActiveRuns, RunExecutor, RunSignals, WorkerLease],
})
export class RunExecutionModule {}
