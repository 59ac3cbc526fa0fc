import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

const KEY = { primaryKeyConstraintName: 'model_usage_pk' };

/** Usage of one model by the runs of an agent on one day. Only sql/record_usage.sql writes it. */
@Entity('model_usage')
@Index('model_usage_workspace_ix', ['workspaceId', 'day'])
export class ModelUsageEntity {
  @PrimaryColumn({ name: 'agent_id', type: 'text', collation: 'C', ...KEY })
  agentId: string;

  /** Day in UTC. */
  @PrimaryColumn({ type: 'date', ...KEY })
  day: string;

  @PrimaryColumn({ type: 'text', ...KEY })
  provider: string;

  @PrimaryColumn({ type: 'text', ...KEY })
  model: string;

  /** ISO 4217 code, or `XXX` if the model has no price. */
  @PrimaryColumn({ type: 'text', ...KEY })
  currency: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'bigint' })
  turns: string;

  @Column({ name: 'input_tokens', type: 'bigint' })
  inputTokens: string;

  @Column({ name: 'output_tokens', type: 'bigint' })
  outputTokens: string;

  @Column({ name: 'cost_micros', type: 'bigint' })
  costMicros: string;

  /** Number of turns whose cost is unknown or only partly known. */
  @Column({ name: 'partial_turns', type: 'bigint' })
  partialTurns: string;
}
