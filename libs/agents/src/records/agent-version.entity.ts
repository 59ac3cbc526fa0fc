import type { JsonObject } from '@app/kernel';
import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, VirtualColumn } from 'typeorm';
import { AgentEntity } from './agent.entity.js';
import type { DefinitionFormat } from '@app/definition';
import type { EvaluationStatus } from './evaluation-status.js';

/** A row is deleted only if its agent is the agent of a draft run. */
@Entity('agent_versions')
@ForeignKey(() => AgentEntity, ['workspaceId', 'agentId'], ['workspaceId', 'id'], { name: 'agent_versions_agent_fk' })
@Index('agent_versions_workspace_ix', ['workspaceId', 'version'])
// The index expression is gin ((definition -> 'labels') jsonb_path_ops), which this decorator cannot describe.
@Index('agent_versions_labels_ix', { synchronize: false })
@Check('agent_versions_version_ck', 'version >= 1')
@Check('agent_versions_format_ck', "source_format in ('yaml', 'json')")
export class AgentVersionEntity {
  @PrimaryColumn({
    name: 'agent_id',
    type: 'text',
    collation: 'C',
    primaryKeyConstraintName: 'agent_versions_pk',
  })
  agentId: string;

  @PrimaryColumn({ type: 'integer', primaryKeyConstraintName: 'agent_versions_pk' })
  version: number;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'text', select: false })
  source: string;

  @Column({ name: 'source_format', type: 'text' })
  sourceFormat: DefinitionFormat;

  @Column({ type: 'jsonb' })
  definition: JsonObject;

  /** SHA-256 of the definition's canonical JSON, in hexadecimal digits. */
  @Column({ name: 'definition_hash', type: 'text' })
  definitionHash: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'created_by', type: 'text' })
  createdBy: string;

  @Column({ type: 'text', nullable: true })
  project: string | null;

  @VirtualColumn({
    type: 'boolean',
    query: (version) =>
      `select a.production_version = ${version}.version from agents a where a.id = ${version}.agent_id`,
  })
  isProduction: boolean;

  @VirtualColumn({
    type: 'jsonb',
    query: (version) =>
      `select jsonb_build_object('id', e.id, 'status', e.status) from evaluations e
        where e.agent_id = ${version}.agent_id and e.version = ${version}.version order by e.id desc limit 1`,
  })
  evaluation: { id: string; status: EvaluationStatus } | null;
}

/** It lacks the submitted text, which would double the size of the response. */
export type ListedVersion = Omit<AgentVersionEntity, 'source'>;
