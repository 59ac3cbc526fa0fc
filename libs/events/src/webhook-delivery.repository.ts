import type { Page, PageRequest } from '@app/kernel';
import { findPage, orUnavailable, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, type FindOptionsWhere, In, Repository } from 'typeorm';
import type { StoredMessage } from './recorded-event.js';
import { WebhookDeliveryEntity } from './webhook-delivery.entity.js';
import type { DeliveryFilter } from './webhook-status.js';

export type OfEndpoint = Pick<WebhookDeliveryEntity, 'workspaceId' | 'endpointId'>;

// Runs the deferred trigger that creates deliveries. The transaction can then read the deliveries before it commits.
const OWE_NOW = 'set constraints all immediate';

const COUNT_PENDING = `select count(*)::integer as count
  from (select from webhook_deliveries where status = 'pending' limit $1) pending`;

const CLAIMED = `select x.id, c.sender from webhook_claims c cross join unnest(c.deliveries) as x(id)
  where c.workspace_id = $1 and c.endpoint_id = $2 and c.until > clock_timestamp()`;

const MESSAGE = `select m.event_id as id, e.type, m.workspace_id as "workspaceId", m.occurred_at as "createdAt", m.snapshot
  from webhook_messages m join events e on e.id = m.event_id
  where m.workspace_id = $1 and m.event_id = $2 and ($3::text[] is null or coalesce(e.data ->> 'agent' = any ($3), true))`;

const MAKE_ALL_DUE = `update webhook_deliveries d set status = 'pending', next_at = clock_timestamp()
  where d.workspace_id = $1 and d.status in ('failed', 'pending') and d.id in (
    select x.id from webhook_deliveries x where x.endpoint_id = $2 and x.status = 'failed'
    union all
    select x.id from webhook_deliveries x
     where x.endpoint_id = $2 and x.status = 'pending' and x.next_at > clock_timestamp()
    limit $3)
    and not events.is_claimed(d.endpoint_id, d.id)`;

@Injectable()
export class WebhookDeliveryRepository {
  constructor(@InjectRepository(WebhookDeliveryEntity) private readonly table: Repository<WebhookDeliveryEntity>) {}

  async page(
    { workspaceId, endpointId }: OfEndpoint,
    { statuses }: DeliveryFilter,
    page: PageRequest,
  ): Promise<Page<WebhookDeliveryEntity>> {
    const where: FindOptionsWhere<WebhookDeliveryEntity> = { workspaceId, endpointId };
    if (statuses) where.status = In([...statuses]);
    const { data, ...rest } = await findPage(this.table, where, page);
    return { data: await this.withSenders(data, this.table.manager), ...rest };
  }

  /** If a transaction is given, locks the delivery until the transaction ends. */
  async find(
    { workspaceId, endpointId }: OfEndpoint,
    id: string,
    transaction?: Transaction,
  ): Promise<WebhookDeliveryEntity | null> {
    const where = { workspaceId, endpointId, id };
    const found = transaction
      ? await transaction.manager.findOne(WebhookDeliveryEntity, { where, lock: { mode: 'for_no_key_update' } })
      : await orUnavailable(this.table.findOneBy(where));
    // The claim is read after the delivery is locked. A sender therefore cannot record a result between the two reads.
    if (found) await this.withSenders([found], transaction?.manager ?? this.table.manager);
    return found;
  }

  /** Stops counting at `most`. */
  async countPending(most: number): Promise<number> {
    const [row] = await this.table.query<{ count: number }[]>(COUNT_PENDING, [most]);
    return row!.count;
  }

  /**
   * The caller has locked the delivery and checked that no sender has claimed it. Does not change the number of
   * attempts.
   */
  async makeDue(
    { workspaceId, id }: Pick<WebhookDeliveryEntity, 'workspaceId' | 'id'>,
    { manager }: Transaction,
  ): Promise<void> {
    const change = { status: 'pending', nextAt: () => 'clock_timestamp()' } as const;
    await manager.update(WebhookDeliveryEntity, { workspaceId, id }, change);
  }

  /**
   * Makes up to `most` deliveries due that failed or wait for another attempt. The caller has locked the endpoint, so
   * no sender claims its deliveries meanwhile. Returns the number of deliveries that are now due.
   */
  async makeAllDue({ workspaceId, endpointId }: OfEndpoint, most: number, { manager }: Transaction): Promise<number> {
    const [, changed] = await manager.query<[unknown[], number]>(MAKE_ALL_DUE, [workspaceId, endpointId, most]);
    return changed;
  }

  /** Returns null if the message concerns an agent that is not in `agents`. */
  async message(
    { workspaceId, eventId }: Pick<WebhookDeliveryEntity, 'workspaceId' | 'eventId'>,
    agents: readonly string[] | null,
  ): Promise<StoredMessage | null> {
    const [found] = await orUnavailable(this.table.query<StoredMessage[]>(MESSAGE, [workspaceId, eventId, agents]));
    return found ?? null;
  }

  async ofNewEvent(workspaceId: string, eventId: string, { manager }: Transaction): Promise<WebhookDeliveryEntity[]> {
    await manager.query(OWE_NOW);
    return manager.findBy(WebhookDeliveryEntity, { workspaceId, eventId });
  }

  private async withSenders(
    deliveries: WebhookDeliveryEntity[],
    manager: EntityManager,
  ): Promise<WebhookDeliveryEntity[]> {
    const pending = deliveries.filter(({ status }) => status === 'pending');
    const [first] = pending;
    if (!first) return deliveries;
    const claimed = await orUnavailable(
      manager.query<{ id: string; sender: string }[]>(CLAIMED, [first.workspaceId, first.endpointId]),
    );
    const senders = new Map(claimed.map(({ id, sender }) => [id, sender]));
    for (const delivery of pending) delivery.claimedBy = senders.get(delivery.id) ?? null;
    return deliveries;
  }
}
