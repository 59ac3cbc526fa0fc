import type { Page, PageRequest } from '@app/kernel';
import { findPage, orUnavailable, type Transaction } from '@app/platform/database';
import { FormerSecretStore } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { ArrayContainedBy, Repository } from 'typeorm';
import { WebhookEndpointEntity } from './webhook-endpoint.entity.js';
import type { DisabledReason } from './webhook-status.js';

export type NewEndpoint = Pick<
  WebhookEndpointEntity,
  'id' | 'workspaceId' | 'url' | 'description' | 'events' | 'agents' | 'status' | 'disabledReason' | 'secret'
>;

export type EndpointChange = Partial<
  Pick<
    WebhookEndpointEntity,
    'url' | 'description' | 'events' | 'agents' | 'status' | 'disabledReason' | 'failingSince'
  >
>;

const REPLACE_SECRET = `update webhook_endpoints
  set secret = $3, updated_at = clock_timestamp(),
    previous_secret = case when $5 > 0 then $4::bytea end,
    previous_secret_expires_at = case when $5 > 0 then clock_timestamp() + make_interval(secs => $5) end
  where workspace_id = $1 and id = $2`;

// Serialises the creation of endpoints in a workspace, so that concurrent requests cannot exceed the limit.
const TAKE_TURNS = `select pg_advisory_xact_lock(hashtextextended('webhook_endpoints:' || $1, 0))`;

@Injectable()
export class WebhookEndpointRepository {
  constructor(
    @InjectRepository(WebhookEndpointEntity) private readonly table: Repository<WebhookEndpointEntity>,
    private readonly former: FormerSecretStore,
  ) {}

  find(workspaceId: string, id: string, transaction?: Transaction): Promise<WebhookEndpointEntity | null> {
    const where = { workspaceId, id };
    if (!transaction) return orUnavailable(this.table.findOneBy(where));
    return transaction.manager.findOne(WebhookEndpointEntity, { where, lock: { mode: 'for_no_key_update' } });
  }

  page(workspaceId: string, page: PageRequest, agents: readonly string[] | null): Promise<Page<WebhookEndpointEntity>> {
    const where = { workspaceId, ...(agents && { agents: ArrayContainedBy([...agents]) }) };
    return findPage(this.table, where, page);
  }

  async countLocked(workspaceId: string, { manager }: Transaction): Promise<number> {
    await manager.query(TAKE_TURNS, [workspaceId]);
    return manager.countBy(WebhookEndpointEntity, { workspaceId });
  }

  async insert(row: NewEndpoint, { manager }: Transaction): Promise<void> {
    await manager.insert(WebhookEndpointEntity, row);
  }

  async change(workspaceId: string, id: string, change: EndpointChange, { manager }: Transaction): Promise<void> {
    await manager.update(
      WebhookEndpointEntity,
      { workspaceId, id },
      { ...change, updatedAt: () => 'clock_timestamp()' },
    );
  }

  async disable(
    workspaceId: string,
    id: string,
    disabledReason: DisabledReason,
    { manager }: Transaction,
  ): Promise<boolean> {
    const change = { status: 'disabled', disabledReason, updatedAt: () => 'clock_timestamp()' } as const;
    const { affected } = await manager.update(WebhookEndpointEntity, { workspaceId, id, status: 'enabled' }, change);
    return affected === 1;
  }

  /**
   * The current secret becomes the previous secret and stays valid for `graceSeconds`. The secret that was previous
   * until now becomes `former` and stays valid until its own expiry.
   */
  async replaceSecret(
    { workspaceId, id, previousSecretExpiresAt: expiresAt }: WebhookEndpointEntity,
    secrets: { secret: Buffer; previous: Buffer; former: Buffer | null },
    graceSeconds: number,
    transaction: Transaction,
  ): Promise<void> {
    const displaced = secrets.former && expiresAt ? { sealed: secrets.former, expiresAt } : null;
    await this.former.rotate({ workspaceId, ownerId: id }, displaced, graceSeconds, transaction);
    await transaction.manager.query(REPLACE_SECRET, [workspaceId, id, secrets.secret, secrets.previous, graceSeconds]);
  }

  async delete(workspaceId: string, id: string, transaction: Transaction): Promise<boolean> {
    await this.former.deleteAll({ workspaceId, ownerId: id }, transaction);
    return (await transaction.manager.delete(WebhookEndpointEntity, { workspaceId, id })).affected === 1;
  }
}
