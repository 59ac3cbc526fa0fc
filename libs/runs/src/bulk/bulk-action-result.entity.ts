import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { BulkResultStatus } from './bulk-action-status.js';

/** Only the functions in sql/ write it. */
@Entity('bulk_action_results')
export class BulkActionResultEntity {
  @PrimaryColumn({ name: 'bulk_action_id', type: 'text', collation: 'C' })
  bulkActionId: string;

  /** The run id that the caller sent. There may be no run with this id. */
  @PrimaryColumn({ name: 'run_id', type: 'text', collation: 'C' })
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
