import { type JsonObject, newId, type Page, type PageRequest, toPage } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { AuditAction } from './audit-actions.js';
import type { AuditEventEntity, AuditFilter } from './audit-event.entity.js';
import { AuditEventRepository } from './audit-event.repository.js';
import type { Principal } from './principal.js';

export interface AuditEntry {
  action: AuditAction;
  target: string;
  detail: JsonObject;
}

@Injectable()
export class AuditLogService {
  constructor(private readonly events: AuditEventRepository) {}

  async list(workspaceId: string, filter: AuditFilter, page: PageRequest): Promise<Page<AuditEventEntity>> {
    return toPage(await this.events.page(workspaceId, filter, page), page.limit);
  }

  /** Writes the entry in the transaction of the recorded change, so that both are committed or neither. */
  async record(
    { workspaceId, email }: Pick<Principal, 'workspaceId' | 'email'>,
    entry: AuditEntry,
    transaction: Transaction,
  ): Promise<void> {
    await this.events.insertWith(transaction, { id: newId('event'), workspaceId, actor: email, ...entry });
  }
}
