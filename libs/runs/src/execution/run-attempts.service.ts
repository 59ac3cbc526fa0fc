import { LateDescriptions } from '@app/agents';
import { Injectable } from '@nestjs/common';
import { ActiveRuns } from './active-runs.js';
import { ComputingTurns } from './computing-turns.js';
import { ModelTurns } from '../models/model-turns.service.js';
import { ToolDispatcher } from '../tools/tool-dispatcher.service.js';
import { RunTelemetry } from './run-telemetry.service.js';
import { WorkerLease } from './worker-lease.service.js';
import { type AttemptHost, RunAttempt } from './run-attempt.js';
import type { ClaimedRun } from '../records/run-commands.js';
import { OpenedRuns } from '../privacy/opened-runs.service.js';

/** Makes attempts at claimed runs with what this process has to offer. */
@Injectable()
export class RunAttempts {
  constructor(
    private readonly versions: LateDescriptions,
    private readonly activeRuns: ActiveRuns,
    private readonly lease: WorkerLease,
    private readonly openedRuns: OpenedRuns,
    private readonly tools: ToolDispatcher,
    private readonly models: ModelTurns,
    private readonly telemetry: RunTelemetry,
    private readonly turns: ComputingTurns,
  ) {}

  /**
   * Carries the run out until it ends or has to be let go; its I/O is aborted when its active time is used up. `ending` is called
   * when all that is left to do is to write down how the run ended.
   */
  async attempt(run: ClaimedRun, ending: () => void): Promise<void> {
    const definition = await this.lease.insist(() => this.versions.complete(run.workspaceId, run.agentId, run.version));
    const opened = await this.lease.insist(() => this.openedRuns.open(run, definition));
    const { tools, models, telemetry, lease, activeRuns, turns } = this;
    const outbound = { tools, models, telemetry };
    const host: AttemptHost = { store: opened.store, outbound, lease, activeRuns, turns, ending };
    const remaining = Math.max(0, definition.limits.maxDurationMs - run.activeMs);
    await this.activeRuns.during(run, remaining, (signal) =>
      new RunAttempt(host, opened.run, definition, signal).carryOut(),
    );
  }
}
