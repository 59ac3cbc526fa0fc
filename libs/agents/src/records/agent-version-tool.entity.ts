import type { JsonObject } from '@app/kernel';
import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { AgentVersionEntity } from './agent-version.entity.js';

/** The stored {@link ToolDescription} of one tool of a version. Rows never change. */
@Entity('agent_version_tools')
@ForeignKey(() => AgentVersionEntity, ['agentId', 'version'], ['agentId', 'version'], {
  name: 'agent_version_tools_version_fk',
})
export class AgentVersionToolEntity {
  @PrimaryColumn({ name: 'agent_id', type: 'text', collation: 'C', primaryKeyConstraintName: 'agent_version_tools_pk' })
  agentId: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'agent_version_tools_pk' })
  version: number;

  @PrimaryColumn({ type: 'text', primaryKeyConstraintName: 'agent_version_tools_pk' })
  tool: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'jsonb' })
  description: JsonObject;

  @Column({ name: 'described_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  describedAt: Date;
}
