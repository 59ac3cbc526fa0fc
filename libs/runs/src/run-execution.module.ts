import { AgentsModule } from '@app/agents';
import { Clock, systemClock } from '@app/kernel';
import { QueueModule } from '@app/platform/queue';
import { SecretsModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { ActiveRuns } from './execution/active-runs.js';
import { CallWatch } from './execution/call-watch.service.js';
import { ComputingTurns } from './execution/computing-turns.js';
import { HeldRuns } from './reconciling/held-runs.js';
import { LostRuns } from './reconciling/lost-runs.service.js';
import { MissedDeadlines } from './reconciling/missed-deadlines.service.js';
import { ModelsModule } from './models/models.module.js';
import { OutboundPorts } from './execution/outbound-ports.service.js';
import { OpenedJournals } from './privacy/opened-journals.service.js';
import { PersistentWrites } from './execution/persistent-writes.js';
import { ReconciledParts } from './reconciling/reconciled-parts.js';
import { RunAttempts } from './execution/run-attempts.service.js';
import { RunClaims } from './execution/run-claims.js';
import { RunExecutor } from './run-executor.service.js';
import { RunPoller } from './reconciling/run-poller.service.js';
import { RunReconciler } from './reconciling/run-reconciler.service.js';
import { RunSignals } from './execution/run-signals.service.js';
import { RunSlots } from './execution/run-slots.js';
import { RunTraces } from './execution/run-traces.service.js';
import { RunsModule } from './runs.module.js';
import { StartGate } from './execution/start-gate.js';
import { ToolsModule } from './tools/tools.module.js';
import { WorkerLease } from './execution/worker-lease.service.js';
import { WorkerLifecycle } from './execution/worker-lifecycle.service.js';

/** Carrying runs out: what a worker process adds to {@link RunsModule}. */
@Module({
  imports: [RunsModule, AgentsModule, QueueModule, ToolsModule, ModelsModule, SecretsModule],
  providers: [
    { provide: Clock, useValue: systemClock },
    ActiveRuns,
    CallWatch,
    ComputingTurns,
    HeldRuns,
    LostRuns,
    MissedDeadlines,
    OpenedJournals,
    OutboundPorts,
    PersistentWrites,
    ReconciledParts,
    RunAttempts,
    RunClaims,
    RunExecutor,
    RunPoller,
    RunReconciler,
    RunSignals,
    RunSlots,
    RunTraces,
    StartGate,
    WorkerLease,
    WorkerLifecycle,
  ],
  exports: [RunExecutor, WorkerLease, WorkerLifecycle],
})
export class RunExecutionModule {}
