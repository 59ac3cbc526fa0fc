import { LateDescriptions } from '@app/agents';
import { Injectable } from '@nestjs/common';
import { ActiveRuns } from './active-runs.js';
import { ComputingTurns } from './computing-turns.js';
import { OutboundPorts } from './outbound-ports.service.js';
import { PersistentWrites } from './persistent-writes.js';
import { type AttemptHost, RunAttempt } from './run-attempt.js';
import type { ClaimedRun } from '../records/run-commands.js';
import { OpenedRuns } from '../privacy/opened-runs.service.js';
import { StartGate } from './start-gate.js';

/** Makes attempts at claimed runs with what this process has to offer. */
@Injectable()
export class RunAttempts {
  constructor(
    private readonly versions: LateDescriptions,
    private readonly activeRuns: ActiveRuns,
    private readonly writes: PersistentWrites,
    private readonly journals: OpenedRuns,
    private readonly outbound: OutboundPorts,
    private readonly gate: StartGate,
    private readonly turns: ComputingTurns,
  ) {}

  /**
   * Carries the run out until it ends or has to be let go; its I/O is aborted when its active time is used up. `ending` is called
   * when all that is left to do is to write down how the run ended.
   */
  async attempt(run: ClaimedRun, ending: () => void): Promise<void> {
    const definition = await this.writes.insist(() =>
      this.versions.complete(run.workspaceId, run.agentId, run.version),
    );
    const opened = await this.writes.insist(() => this.journals.open(run, definition));
    const { outbound, gate, writes, activeRuns, turns } = this;
    const host: AttemptHost = { store: opened.store, outbound, gate, writes, activeRuns, turns, ending };
    const remaining = Math.max(0, definition.limits.maxDurationMs - run.activeMs);
    await this.activeRuns.during(run, remaining, (signal) =>
      new RunAttempt(host, opened.run, definition, signal).carryOut(),
    );
  }
}
