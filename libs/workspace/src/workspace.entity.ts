import { Column, Entity, PrimaryColumn } from 'typeorm';

export const WORKSPACE_STATES = ['active', 'stopped'] as const;
export type WorkspaceState = (typeof WORKSPACE_STATES)[number];

@Entity('workspaces')
export class WorkspaceEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text', default: 'active' })
  state: WorkspaceState;

  /** Increases at every stop and every resume. It is even while the workspace is stopped and odd while it is active. */
  @Column({ type: 'bigint', default: 1, transformer: { from: Number, to: (epoch: unknown) => epoch } })
  epoch: number;

  @Column({ name: 'stopped_at', type: 'timestamptz', precision: 3, nullable: true })
  stoppedAt: Date | null;

  @Column({ name: 'stopped_by', type: 'text', nullable: true })
  stoppedBy: string | null;

  @Column({ name: 'stop_reason', type: 'text', nullable: true })
  stopReason: string | null;

  /** If true, the stop cancels the runs of the workspace, in batches. */
  @Column({ name: 'cancel_runs', type: 'boolean', default: false })
  cancelRuns: boolean;

  /** Time until which calls in progress may finish. After that time, the workers abort them. */
  @Column({ name: 'drain_until', type: 'timestamptz', nullable: true })
  drainUntil: Date | null;

  @Column({ name: 'resumed_at', type: 'timestamptz', precision: 3, nullable: true })
  resumedAt: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;
}
