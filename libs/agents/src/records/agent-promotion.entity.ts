import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Rows never change. */
@Entity('agent_promotions')
export class AgentPromotionEntity {
  @PrimaryColumn({ name: 'agent_id', type: 'text', collation: 'C' })
  agentId: string;

  @PrimaryColumn({ type: 'integer' })
  n: number;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'integer' })
  version: number;

  @Column({ name: 'previous_version', type: 'integer' })
  previousVersion: number;

  @Column({ name: 'evaluation_id', type: 'text', collation: 'C', nullable: true })
  evaluationId: string | null;

  @Column({ name: 'promoted_by', type: 'text' })
  promotedBy: string;

  @Column({ name: 'promoted_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  promotedAt: Date;
}
