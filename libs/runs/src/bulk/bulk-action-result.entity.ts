import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { BulkResultStatus } from './bulk-action-status.js';

/** Only the functions in sql/ write it. */
@Entity('bulk_action_results')
@Check(
  'bulk_action_results_row_ck',
  `status in ('pending', 'succeeded', 'failed') and (status = 'failed') = (code is not null)`,
)
@Index('bulk_action_results_pending_ix', ['bulkActionId', 'runId'], { where: `status = 'pending'` })
export class BulkActionResultEntity {
  @PrimaryColumn({
    name: 'bulk_action_id',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'bulk_action_results_pk',
  })
  bulkActionId: string;

  /** The run id that the caller sent. There may be no run with this id. */
  @PrimaryColumn({
    name: 'run_id',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'bulk_action_results_pk',
  })
  runId: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'text', default: 'pending' })
  status: BulkResultStatus;

  @Column({ type: 'text', nullable: true })
  code: string | null;

  @Column({ name: 'replay_id', type: 'text', collation: 'C', nullable: true })
  replayId: string | null;
}
