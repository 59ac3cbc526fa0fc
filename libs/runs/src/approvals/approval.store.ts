import { type ExpectedVersions, type JsonObject, storableJson } from '@app/kernel';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { ApprovalDecision, Decider } from '../records/approval-status.js';

const DECIDE: Statement = {
  name: 'run_machine_decide',
  text: 'select * from run_machine.decide($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
};
const DUE: Statement = { name: 'run_machine_due_approvals', text: 'select * from run_machine.due_approvals($1)' };
const EXPIRE: Statement = {
  name: 'run_machine_expire_approval',
  text: 'select run_machine.expire_approval($1, $2) as expired',
};

/** Names one approval: ids are looked up together with their workspace and run. */
export interface ApprovalAddress {
  workspaceId: string;
  runId: string;
  approvalId: string;
}

export interface DecisionEntry {
  decision: ApprovalDecision;
  comment: string | null;
  /**
   * Set for an `edit`: the arguments that replace the stored ones, and what approvers see of them. Without `show` they
   * have not been checked, and the function fails rather than store them.
   */
  edited: { request: JsonObject; show: JsonObject | null } | null;
  /** Revisions of the request that the person may have decided about; undefined: whatever it is now. */
  expected?: ExpectedVersions;
}

/** See sql/decide.sql. decided: it is closed and carried out. recorded: more approvers are needed. */
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

/** The gateway to those functions of the state machine that end approvals: one method, one round trip, one commit. */
@Injectable()
export class ApprovalStore {
  constructor(private readonly statements: Statements) {}

  async decide(address: ApprovalAddress, decider: Decider, entry: DecisionEntry): Promise<DecisionVerdict> {
    const [row] = await this.statements.query<{ verdict: DecisionVerdict }>(DECIDE, [
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
    ]);
    return row!.verdict;
  }

  /** At most `limit` open approvals whose time is over. Whether each still is one, {@link expire} decides. */
  async due(limit: number): Promise<{ approvalId: string; runId: string }[]> {
    const rows = await this.statements.query<{ approval_id: string; run_id: string }>(DUE, [limit]);
    return rows.map((row) => ({ approvalId: row.approval_id, runId: row.run_id }));
  }

  /** Ends the approval by its own rule for that, which never approves. False: somebody was faster. */
  async expire({ approvalId, runId }: { approvalId: string; runId: string }): Promise<boolean> {
    const [row] = await this.statements.query<{ expired: boolean }>(EXPIRE, [approvalId, runId]);
    return row!.expired;
  }
}
