import { idRange, type PageRequest } from '@app/kernel';
import { orUnavailable, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AuditEventEntity, type AuditFilter } from './audit-event.entity.js';
import { INSERT_AUDIT_EVENT, type NewAuditEvent, valuesOf } from './new-audit-event.js';

/** Events about runs, approvals, evaluations, bulk actions and endpoints do not contain their agents. */
const CONCERNS_ONLY = `coalesce(event.target, '') !~ '^(run|apr|evl|bulk|whe)_' and not exists (
  select from regexp_matches(concat_ws(' ', event.target, event.detail::text), 'agt_[0-7][0-9a-z]{25}', 'g') as found(agent)
  where not found.agent[1] = any (:agents))`;

@Injectable()
export class AuditEventRepository {
  constructor(
    @InjectRepository(AuditEventEntity) private readonly table: Repository<AuditEventEntity>,
    private readonly statements: Statements,
  ) {}

  /** Returns up to `limit + 1` events, ordered by id. */
  page(workspaceId: string, filter: AuditFilter, page: PageRequest): Promise<AuditEventEntity[]> {
    const { actor, action, agents, since, until } = filter;
    const { lowest, beyond } = idRange('event', { since, until });
    const query = this.table.createQueryBuilder('event').where('event.workspaceId = :workspaceId', { workspaceId });
    if (actor !== undefined) query.andWhere('event.actor = :actor', { actor });
    if (action !== undefined) query.andWhere('event.action = :action', { action });
    if (agents) query.andWhere(CONCERNS_ONLY, { agents });
    if (since) query.andWhere('event.createdAt >= :since and event.id >= :lowest', { since, lowest });
    if (until) query.andWhere('event.createdAt < :until and event.id < :beyond', { until, beyond });
    if (page.after !== undefined)
      query.andWhere(page.order === 'asc' ? 'event.id > :after' : 'event.id < :after', { after: page.after });
    query.orderBy('event.id', page.order === 'asc' ? 'ASC' : 'DESC').take(page.limit + 1);
    return orUnavailable(query.getMany());
  }

  async insert(event: NewAuditEvent): Promise<void> {
    await this.statements.query(INSERT_AUDIT_EVENT, valuesOf(event));
  }

  async insertWith({ manager }: Transaction, event: NewAuditEvent): Promise<void> {
    await manager.query(INSERT_AUDIT_EVENT.text, valuesOf(event));
  }
}
