import { AgentsModule } from '@app/agents';
import { Clock, systemClock } from '@app/kernel';
import { EgressModule } from '@app/platform/egress';
import { SecretsModule } from '@app/workspace';
import { QueueModule } from '@app/platform/queue';
import { Module } from '@nestjs/common';
import { ActiveRuns } from './active-runs.js';
import { HeldRuns } from './held-runs.js';
import { LostRuns } from './lost-runs.service.js';
import { MissedDeadlines } from './missed-deadlines.service.js';
import { PersistentWrites } from './persistent-writes.js';
import { RunAttempts } from './run-attempts.service.js';
import { RunClaims } from './run-claims.js';
import { RunExecutor } from './run-executor.service.js';
import { RunPoller } from './run-poller.service.js';
import { RunReconciler } from './run-reconciler.service.js';
import { RunSignals } from './run-signals.service.js';
import { RunSlots } from './run-slots.js';
import { RunsModule } from './runs.module.js';
import { StartGate } from './start-gate.js';
import { HttpToolAdapter } from './tools/http-tool.js';
import { ToolDispatcher } from './tools/tool-dispatcher.service.js';
import { WorkerLease } from './worker-lease.service.js';
import { WorkerLifecycle } from './worker-lifecycle.service.js';

/** Carrying runs out: what a worker process adds to {@link RunsModule}. */
@Module({
  imports: [RunsModule, AgentsModule, EgressModule, QueueModule, SecretsModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    ActiveRuns,
    HeldRuns,
    HttpToolAdapter,
    LostRuns,
    MissedDeadlines,
    PersistentWrites,
    RunAttempts,
    RunClaims,
    RunExecutor,
    RunPoller,
    RunReconciler,
    RunSignals,
    RunSlots,
    StartGate,
    ToolDispatcher,
    WorkerLease,
    WorkerLifecycle,
  ],
  exports: [RunExecutor, WorkerLifecycle],
})
export class RunExecutionModule {}
