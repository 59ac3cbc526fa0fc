import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import type { ApprovalDecision, ApprovalKind, ApprovalStatus, DecisionChannel } from './approval-status.js';
import type { GateTimeout } from './run-commands.js';
import type { RunMode, TriggerType } from './run-status.js';

/** `at` is an RFC 3339 time in UTC with milliseconds. */
export interface RecordedDecision {
  by: string;
  decision: ApprovalDecision;
  comment: string | null;
  via?: DecisionChannel;
  at: string;
  /** The request that an `edit` replaced. Null or absent for other decisions. */
  request_before?: JsonObject | null;
}

/** Only the functions in sql/ write it. */
@Entity('approvals')
export class ApprovalEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ name: 'run_id', type: 'text', collation: 'C' })
  runId: string;

  @Column({ name: 'agent_id', type: 'text', collation: 'C' })
  agentId: string;

  @VirtualColumn({ type: 'text', query: (approval) => `select a.name from agents a where a.id = ${approval}.agent_id` })
  agentName: string;

  @VirtualColumn({ type: 'text', query: (approval) => `select r.mode from runs r where r.id = ${approval}.run_id` })
  mode: RunMode;

  @VirtualColumn({
    type: 'text',
    query: (approval) => `select r.initiator from runs r where r.id = ${approval}.run_id`,
  })
  initiator: string | null;

  @VirtualColumn({
    type: 'text',
    query: (approval) => `select r.trigger ->> 'type' from runs r where r.id = ${approval}.run_id`,
  })
  triggerType: TriggerType;

  @Column({ type: 'integer' })
  version: number;

  @Column({ type: 'integer' })
  n: number;

  @Column({ type: 'text' })
  kind: ApprovalKind;

  /** Full name of the operation. For an approval step or a question, the id of the step. */
  @Column({ type: 'text', nullable: true })
  tool: string | null;

  @Column({ type: 'text' })
  policy: string;

  @Column({ type: 'text' })
  reason: string;

  /** Names of the groups whose members may decide. If empty, the admins of the workspace decide. */
  @Column({ type: 'text', array: true })
  approvers: string[];

  @Column({ type: 'integer' })
  required: number;

  @Column({ name: 'self_approval', type: 'boolean' })
  selfApproval: boolean;

  @Column({ type: 'jsonb', nullable: true })
  request: JsonObject | null;

  @Column({ name: 'request_revision', type: 'integer', default: 1 })
  requestRevision: number;

  @Column({ name: 'asked_revision', type: 'integer', nullable: true })
  askedRevision: number | null;

  @Column({ type: 'text', nullable: true })
  title: string | null;

  @Column({ type: 'jsonb', nullable: true })
  form: JsonObject | null;

  @Column({ type: 'jsonb', nullable: true })
  answer: JsonObject | null;

  @Column({ type: 'jsonb', default: {} })
  show: JsonObject;

  @Column({ name: 'allowed_decisions', type: 'text', array: true })
  allowedDecisions: ApprovalDecision[];

  @Column({ type: 'jsonb', default: [] })
  decisions: RecordedDecision[];

  @Column({ name: 'on_timeout', type: 'text' })
  onTimeout: GateTimeout;

  @Column({ name: 'on_reject', type: 'text' })
  onReject: 'continue' | 'fail' | 'hand_off';

  @Column({ name: 'hand_off_to', type: 'text', array: true })
  handOffTo: string[];

  /** A rejection then does not end the run immediately, because the run continues with these steps. */
  @Column({ name: 'failure_is_handled', type: 'boolean' })
  failureIsHandled: boolean;

  @Column({ type: 'text', default: 'open' })
  status: ApprovalStatus;

  @Column({ name: 'opened_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  openedAt: Date;

  @Column({ name: 'expires_at', type: 'timestamptz', precision: 3 })
  expiresAt: Date;

  @Column({ name: 'decided_at', type: 'timestamptz', precision: 3, nullable: true })
  decidedAt: Date | null;
}
