import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import type { DefinitionFormat } from '@app/definition';
import type { EvaluationStatus } from './evaluation-status.js';

/** A row is deleted only if its agent is the agent of a draft run. */
@Entity('agent_versions')
export class AgentVersionEntity {
  @PrimaryColumn({ name: 'agent_id', type: 'text', collation: 'C' })
  agentId: string;

  @PrimaryColumn({ type: 'integer' })
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
