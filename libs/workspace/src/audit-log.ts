import { type JsonObject, newId } from '@app/kernel';
import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { AuditAction } from './audit-actions.js';
import type { Principal } from './principal.js';

/** One action of a member. `target`: id or name of the changed object. */
export interface AuditEntry {
  action: AuditAction;
  target: string;
  detail: JsonObject;
}

const RECORD = `insert into audit_events (id, workspace_id, actor, action, target, detail) values ($1, $2, $3, $4, $5, $6)`;

/** Writes the audit log in the transaction of the change, so that both are committed or neither is. */
@Injectable()
export class AuditLog {
  async record(
    { workspaceId, email }: Pick<Principal, 'workspaceId' | 'email'>,
    { action, target, detail }: AuditEntry,
    { manager }: Transaction,
  ): Promise<void> {
    await manager.query(RECORD, [newId('event'), workspaceId, email, action, target, JSON.stringify(detail)]);
  }
}
