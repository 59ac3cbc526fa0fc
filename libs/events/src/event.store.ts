import { idRange, type JsonObject, newId, type Page, type PageRequest, toPage } from '@app/kernel';
import { orUnavailable, type Transaction, withoutTenantRole } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type EventFilter, EventViews, type RecordedEvent, type StoredMessage } from './recorded-event.js';

interface OutgoingEvent {
  type: string;
  data: JsonObject;
}

const RECORD = 'insert into events (id, workspace_id, type, data) values ($1, $2, $3, $4)';

/** The SQL functions that change runs record the events about runs. */
export async function recordEvent(
  workspaceId: string,
  { type, data }: OutgoingEvent,
  { manager }: Transaction,
): Promise<string> {
  const id = newId('event');
  await manager.query(RECORD, [id, workspaceId, type, JSON.stringify(data)]);
  return id;
}

@Injectable()
export class EventStore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly views: EventViews,
  ) {}

  async list(workspaceId: string, filter: EventFilter, page: PageRequest): Promise<Page<RecordedEvent>> {
    return toPage(await this.page(workspaceId, filter, page), page.limit);
  }

  /**
   * The data of an event comes from its message. If an event had no subscriber, it has no message, and its data shows
   * the current state of its subject.
   */
  private async page(
    workspaceId: string,
    { types, agentId, agents, since, until }: EventFilter,
    page: PageRequest,
  ): Promise<RecordedEvent[]> {
    const query = this.dataSource
      .createQueryBuilder()
      .select('e.id', 'id')
      .addSelect('e.type', 'type')
      .addSelect('e.workspace_id', 'workspaceId')
      .addSelect('e.created_at', 'createdAt')
      .addSelect('coalesce(m.snapshot, events.event_snapshot(e))', 'snapshot')
      .from('events', 'e')
      .leftJoin('webhook_messages', 'm', 'm.event_id = e.id')
      .where('e.workspace_id = :workspaceId', { workspaceId });
    if (types) query.andWhere('e.type in (:...types)', { types });
    // The condition is redundant, but the planner needs it to use the partial index, which omits the most frequent
    // type.
    if (types && !types.includes('run.completed')) query.andWhere(`e.type <> 'run.completed'`);
    if (agentId !== undefined) query.andWhere(`e.data ->> 'agent' = :agentId`, { agentId });
    if (agents) query.andWhere(`coalesce(e.data ->> 'agent' = any (:agents), true)`, { agents });
    const { lowest, beyond } = idRange('event', { since, until });
    if (since) query.andWhere('e.created_at >= :since and e.id >= :lowest', { since, lowest });
    if (until) query.andWhere('e.created_at < :until and e.id < :beyond', { until, beyond });
    if (page.after !== undefined) {
      query.andWhere(page.order === 'asc' ? 'e.id > :after' : 'e.id < :after', { after: page.after });
    }
    query.orderBy('e.id', page.order === 'asc' ? 'ASC' : 'DESC').limit(page.limit + 1);
    const asked = () => orUnavailable(query.getRawMany<StoredMessage>());
    const found = await (agentId === undefined ? asked() : withoutTenantRole(asked));
    return found.map(({ snapshot, ...event }) => ({
      ...event,
      data: this.views.dataOf(event.type, snapshot ?? {}),
    }));
  }
}
