import type { JsonObject } from '@app/kernel';
import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import type { AgentStatus } from './agent-status.js';

@Entity('agents')
export class AgentEntity {
  @PrimaryColumn({ type: 'text', collation: 'C' })
  id: string;

  @Column({ name: 'workspace_id', type: 'text', collation: 'C' })
  workspaceId: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text', default: '' })
  description: string;

  @Column({ type: 'jsonb', default: {} })
  labels: Record<string, string>;

  /** Name of the project that the agent was last applied from. */
  @Column({ type: 'text', nullable: true })
  project: string | null;

  /** Name of the tool as which assistants use the production version. */
  @Column({ name: 'mcp_tool', type: 'text', collation: 'C', nullable: true })
  mcpTool: string | null;

  @Column({ type: 'text', default: 'active' })
  status: AgentStatus;

  @Column({ name: 'production_version', type: 'integer' })
  productionVersion: number;

  @Column({ name: 'latest_version', type: 'integer' })
  latestVersion: number;

  /** SHA-256 of the webhook secret. Only queries that check a secret read this column. */
  @Column({ name: 'webhook_secret_hash', type: 'bytea', select: false })
  webhookSecretHash?: Buffer;

  /** Null if the agent was created before signatures were supported and its secret was not rotated since. */
  @Column({ name: 'webhook_secret', type: 'bytea', select: false, nullable: true })
  webhookSecret?: Buffer | null;

  /** It stays valid until its expiry. */
  @Column({ name: 'previous_webhook_secret', type: 'bytea', select: false, nullable: true })
  previousWebhookSecret?: Buffer | null;

  @Column({ name: 'previous_webhook_secret_hash', type: 'bytea', select: false, nullable: true })
  previousWebhookSecretHash?: Buffer | null;

  @Column({
    name: 'previous_webhook_secret_expires_at',
    type: 'timestamptz',
    precision: 3,
    select: false,
    nullable: true,
  })
  previousWebhookSecretExpiresAt?: Date | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz', precision: 3, default: () => 'clock_timestamp()' })
  updatedAt: Date;

  /** Until this time, workers find and cancel runs that were accepted while the agent was being archived. */
  @Column({ name: 'sweep_until', type: 'timestamptz', nullable: true, select: false })
  sweepUntil?: Date | null;

  /** Such an agent is archived from its creation. */
  @Column({ name: 'draft_until', type: 'timestamptz', nullable: true, select: false })
  draftUntil?: Date | null;

  /** Id of the API key that started the draft run, if the key is narrowed to agents. */
  @Column({ name: 'draft_key_id', type: 'text', collation: 'C', nullable: true, select: false })
  draftKeyId?: string | null;

  /** Null until the first change after the upgrade to this release. */
  @Column({ name: 'change_xid', type: 'bigint', select: false, nullable: true })
  changeXid?: string | null;

  /** The triggers of the production version, in the form that the definition contains. */
  @VirtualColumn({
    type: 'jsonb',
    query: (agent) =>
      `select coalesce(v.definition -> 'triggers', '[]') from agent_versions v
        where v.agent_id = ${agent}.id and v.version = ${agent}.production_version`,
  })
  triggers: JsonObject[];

  /** `limits.budget` of the production version. */
  @VirtualColumn({
    type: 'jsonb',
    query: (agent) =>
      `select v.definition -> 'limits' -> 'budget' from agent_versions v
        where v.agent_id = ${agent}.id and v.version = ${agent}.production_version`,
  })
  budget: { per_day?: string; currency: string } | null;
}
