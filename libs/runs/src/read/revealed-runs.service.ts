import { Transactions } from '@app/platform/database';
import { type AuditEntry, AuditLogService, type Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { RunQueriesService, type RunWithApprovals, type TracedRun, type Transcript } from './run-queries.service.js';
import type { TracePart } from './list-filters.js';
import type { RunEntity } from '../records/run.entity.js';
import { openedApproval, openedRun, openedStep, RunPrivaciesService } from '../privacy/run-privacies.service.js';

/** The audit log records each read. */
@Injectable()
export class RevealedRunsService {
  constructor(
    private readonly queries: RunQueriesService,
    private readonly privacies: RunPrivaciesService,
    private readonly transactions: Transactions,
    private readonly audit: AuditLogService,
  ) {}

  async get(principal: Principal, runId: string): Promise<RunWithApprovals> {
    const { run, approvals } = await this.queries.getWithApprovals(principal.workspaceId, runId);
    await this.record(principal, run, 'run');
    const privacy = this.privacies.opener(run);
    return {
      run: openedRun(run, privacy),
      approvals: approvals.map((approval) => openedApproval(approval, privacy)),
    };
  }

  async trace(principal: Principal, runId: string, part: TracePart): Promise<TracedRun> {
    const { run, steps } = await this.queries.shownTrace(principal.workspaceId, runId, part);
    await this.record(principal, run, 'trace');
    const privacy = this.privacies.opener(run);
    return { run: openedRun(run, privacy), steps: steps.map((step) => openedStep(step, privacy)) };
  }

  async transcript(principal: Principal, runId: string, part: { afterN: number; limit: number }): Promise<Transcript> {
    const { run, turns } = await this.queries.transcript(principal.workspaceId, runId, part);
    await this.record(principal, run, 'transcript');
    const privacy = this.privacies.opener(run);
    return {
      run,
      turns: turns.map((turn) => ({
        ...turn,
        output: privacy.opened(turn.output),
        prompt: privacy.opened(turn.prompt),
        added: privacy.opened(turn.added),
      })),
    };
  }

  private record(principal: Principal, run: RunEntity, shown: 'run' | 'trace' | 'transcript'): Promise<void> {
    const entry: AuditEntry = { action: 'run.reveal', target: run.id, detail: { shown } };
    return this.transactions.run((transaction) => this.audit.record(principal, entry, transaction));
  }
}
