import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, In, Repository } from 'typeorm';
import type { Page, PageRequest } from '@app/kernel';
import { findPage, type Statement, Statements } from '@app/platform/database';
import type { TriggerEventFilter, TriggerOutcome } from './trigger-outcome.js';
import { TriggerEventEntity } from './trigger-event.entity.js';

export interface LatestEvents {
  id: string;
  last_event_at: Date | null;
  last_outcome: TriggerOutcome | null;
  last_error: string | null;
  watch_error: string | null;
  poll_due_at: Date | null;
}

/** Needs only a few index lookups per trigger. */
const LATEST: Statement = {
  name: 'triggers.latest_events',
  text: `select t.id, last.created_at as last_event_at, coalesce(watch.error, poll.error) as watch_error,
      coalesce(watch.error, poll.error, failed.reason) as last_error, poll.due_at as poll_due_at,
      -- An error without a key is a failed poll. poll.error says whether the latest poll failed too.
      case when t.type <> 'poll' or last.key is not null or last.outcome <> 'error' then last.outcome end as last_outcome
    from triggers t
    left join lateral (select e.created_at, e.outcome, e.key from trigger_events e
       where e.agent_id = t.agent_id and e.trigger_id = t.id and e.workspace_id = t.workspace_id order by e.id desc limit 1) last on true
    left join lateral (select e.reason from trigger_events e
       where e.agent_id = t.agent_id and e.trigger_id = t.id and e.workspace_id = t.workspace_id and e.outcome in ('refused', 'error')
       order by e.id desc limit 1) failed on true
    left join poll_watches poll on poll.agent_id = t.agent_id and poll.trigger_id = t.id and poll.workspace_id = t.workspace_id
    left join mailbox_watches watch on watch.agent_id = t.agent_id and watch.trigger_id = t.id and watch.workspace_id = t.workspace_id
    where t.workspace_id = $1 and t.agent_id = $2`,
};

@Injectable()
export class TriggerLogRepository {
  constructor(
    @InjectRepository(TriggerEventEntity) private readonly table: Repository<TriggerEventEntity>,
    private readonly statements: Statements,
  ) {}

  async page(
    workspaceId: string,
    agentId: string,
    { triggerId, outcomes }: TriggerEventFilter,
    page: PageRequest,
  ): Promise<Page<TriggerEventEntity>> {
    const where: FindOptionsWhere<TriggerEventEntity> = { workspaceId, agentId };
    if (triggerId !== undefined) where.triggerId = triggerId;
    if (outcomes) where.outcome = In([...outcomes]);
    return findPage(this.table, where, page);
  }

  async latest(workspaceId: string, agentId: string): Promise<LatestEvents[]> {
    return this.statements.query<LatestEvents>(LATEST, [workspaceId, agentId]);
  }
}
