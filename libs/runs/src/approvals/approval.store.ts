import type { FileReference } from '@app/files';
import { type ExpectedVersions, type JsonObject, storableJson } from '@app/kernel';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { ApprovalDecision, Decider, DecisionChannel } from '../records/approval-status.js';
import { referring } from '../store/run-store-wire.js';

const DECIDE: Statement = {
  name: 'run_machine_record_decision',
  text: 'select * from run_machine.record_decision($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)',
};
const DUE: Statement = { name: 'run_machine_due_approvals', text: 'select * from run_machine.due_approvals($1)' };
const EXPIRE: Statement = {
  name: 'run_machine_expire_approval',
  text: 'select run_machine.expire_approval($1, $2) as expired',
};

const KEEP_ASKED: Statement = {
  name: 'run_machine_keep_asked_revision',
  text: 'select run_machine.keep_asked_revision($1, $2, $3, $4)',
};

/** The approval id alone is not enough: the workspace and the run must be those of the approval. */
export interface ApprovalAddress {
  workspaceId: string;
  runId: string;
  approvalId: string;
}

export interface DecisionEntry {
  decision: ApprovalDecision;
  comment: string | null;
  /**
   * If `show` is null, the arguments have not been checked, and the SQL function throws an error instead of storing
   * them.
   */
  edited: { request: JsonObject; show: JsonObject | null } | null;
  answer?: JsonObject | null;
  /** The files to which the answer or the edited request refers. */
  files?: readonly FileReference[] | undefined;
  expected?: ExpectedVersions;
  via?: DecisionChannel;
}

/**
 * `decided`: the approval is closed and the decision takes effect. `recorded`: more approvers must decide.
 * sql/decide.sql explains the other verdicts.
 */
export type DecisionVerdict =
  | 'decided'
  | 'recorded'
  | 'repeated'
  | 'closed'
  | 'stopped'
  | 'not_found'
  | 'not_an_approver'
  | 'self_approval'
  | 'not_allowed'
  | 'changed';

/** Each method is one round trip and one commit. */
@Injectable()
export class ApprovalStore {
  constructor(private readonly statements: Statements) {}

  async decide(address: ApprovalAddress, decider: Decider, entry: DecisionEntry): Promise<DecisionVerdict> {
    const values = [
      address.workspaceId,
      address.runId,
      address.approvalId,
      entry.decision,
      decider.email,
      decider.groups,
      decider.isAdmin,
      entry.comment,
      entry.edited && storableJson(entry.edited.request),
      entry.edited?.show && storableJson(entry.edited.show),
      entry.expected && [...entry.expected],
      entry.via ?? 'api',
      entry.answer && storableJson(entry.answer),
    ];
    const about = { runId: address.runId, files: entry.files ?? [], verdicts: ['decided', 'recorded'] };
    const [row] = await this.statements.query<{ verdict: DecisionVerdict }>(...referring(DECIDE, values, about));
    return row!.verdict;
  }

  async keepAskedRevision({ workspaceId, runId, approvalId }: ApprovalAddress, revision: number): Promise<void> {
    await this.statements.query(KEEP_ASKED, [workspaceId, runId, approvalId, revision]);
  }

  /** {@link expire} checks each of them again. */
  async due(limit: number): Promise<{ approvalId: string; runId: string }[]> {
    const rows = await this.statements.query<{ approval_id: string; run_id: string }>(DUE, [limit]);
    return rows.map((row) => ({ approvalId: row.approval_id, runId: row.run_id }));
  }

  /** Returns false if it is no longer open. */
  async expire({ approvalId, runId }: { approvalId: string; runId: string }): Promise<boolean> {
    const [row] = await this.statements.query<{ expired: boolean }>(EXPIRE, [approvalId, runId]);
    return row!.expired;
  }
}
