import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { AgentEntity } from './agent.entity.js';

/** Rows never change. */
@Entity('agent_promotions')
@ForeignKey(() => AgentEntity, ['workspaceId', 'agentId'], ['workspaceId', 'id'], { name: 'agent_promotions_agent_fk' })
@Check('agent_promotions_n_ck', 'n >= 1')
@Check('agent_promotions_change_ck', 'version <> previous_version')
@Index('agent_promotions_version_ix', ['agentId', 'version'])
export class AgentPromotionEntity {
  @PrimaryColumn({
    name: 'agent_id',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'agent_promotions_pk',
  })
  agentId: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'agent_promotions_pk' })
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
