import type { PageRequest } from '@app/kernel';
import { orUnavailable, type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type FindOptionsWhere, LessThan, MoreThan, Repository } from 'typeorm';
import { AuditEventEntity } from './audit-event.entity.js';

export interface AuditFilter {
  /** E-mail address. */
  actor?: string;
  action?: string;
}

const INSERT: Statement = {
  name: 'workspace.insert_audit_event',
  text: 'insert into audit_events (id, workspace_id, actor, action, target, detail) values ($1, $2, $3, $4, $5, $6)',
};

@Injectable()
export class AuditEventRepository {
  constructor(
    @InjectRepository(AuditEventEntity) private readonly table: Repository<AuditEventEntity>,
    private readonly statements: Statements,
  ) {}

  /** Up to `limit + 1` events in keyset order of the id. */
  page(workspaceId: string, { actor, action }: AuditFilter, page: PageRequest): Promise<AuditEventEntity[]> {
    const where: FindOptionsWhere<AuditEventEntity> = { workspaceId };
    if (actor !== undefined) where.actor = actor;
    if (action !== undefined) where.action = action;
    if (page.after !== undefined) where.id = page.order === 'asc' ? MoreThan(page.after) : LessThan(page.after);
    return orUnavailable(this.table.find({ where, order: { id: page.order }, take: page.limit + 1 }));
  }

  async insert(event: Omit<AuditEventEntity, 'createdAt'>): Promise<void> {
    const { id, workspaceId, actor, action, target, detail } = event;
    await this.statements.query(INSERT, [id, workspaceId, actor, action, target, JSON.stringify(detail)]);
  }
}
