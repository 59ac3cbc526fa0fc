import { CompiledVersions } from '@app/agents';
import { Injectable } from '@nestjs/common';
import { ActiveRuns } from './active-runs.js';
import { PersistentWrites } from './persistent-writes.js';
import { type AttemptHost, RunAttempt } from './run-attempt.js';
import type { ClaimedRun } from './journal-entries.js';
import { RunJournal } from './run-journal.js';
import { StartGate } from './start-gate.js';
import { ToolDispatcher } from './tools/tool-dispatcher.service.js';

/** Makes attempts at claimed runs with what this process has to offer. */
@Injectable()
export class RunAttempts {
  private readonly host: AttemptHost;

  constructor(
    private readonly versions: CompiledVersions,
    private readonly activeRuns: ActiveRuns,
    private readonly writes: PersistentWrites,
    journal: RunJournal,
    tools: ToolDispatcher,
    gate: StartGate,
  ) {
    this.host = { journal, tools, gate, writes, activeRuns };
  }

  /** Carries the run out until it ends or has to be let go; its I/O is aborted when its active time is used up. */
  async attempt(run: ClaimedRun): Promise<void> {
    const definition = await this.writes.insist(() => this.versions.get(run.workspaceId, run.agentId, run.version));
    const recordedCalls = await this.writes.insist(() => this.host.journal.recordedCalls(run));
    const remaining = Math.max(0, definition.limits.maxDurationMs - run.activeMs);
    await this.activeRuns.during(run, remaining, (signal) =>
      new RunAttempt(this.host, { ...run, recordedCalls }, definition, signal).carryOut(),
    );
  }
}
