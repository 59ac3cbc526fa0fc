import { type ErrorCode, newId, type Page, type PageRequest, toPage } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { RefusableAction } from './audit-actions.js';
import type { AuditEventEntity } from './audit-event.entity.js';
import { AuditEventRepository, type AuditFilter } from './audit-event.repository.js';
import type { Principal } from './principal.js';

@Injectable()
export class AuditTrail {
  constructor(private readonly events: AuditEventRepository) {}

  async list(workspaceId: string, filter: AuditFilter, page: PageRequest): Promise<Page<AuditEventEntity>> {
    return toPage(await this.events.page(workspaceId, filter, page), page.limit);
  }

  /** Records an attempt that was refused, as the action `<action>_refused`. */
  async refused({ workspaceId, email, role, key }: Principal, action: RefusableAction, code: ErrorCode): Promise<void> {
    const detail = { code, role, key: key.id };
    const line = { workspaceId, actor: email, action: `${action}_refused`, target: workspaceId, detail };
    await this.events.insert({ id: newId('event'), ...line });
  }
}
