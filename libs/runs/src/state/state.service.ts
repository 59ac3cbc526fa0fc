import type { JsonValue } from '@app/kernel';
import { Transactions } from '@app/platform/database';
import { type AuditAction, AuditLogService, type Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { type StateEntry, type StatePage, type StatePageRequest, StateStore } from './state.store.js';

/** The state of a workspace is shared by all its agents. */
export type StateOwner = { kind: 'agent'; agentId: string } | { kind: 'workspace' };

const DELETIONS: Readonly<Record<StateOwner['kind'], AuditAction>> = {
  agent: 'agent.state.delete',
  workspace: 'workspace.state.delete',
};

@Injectable()
export class StateService {
  constructor(
    private readonly store: StateStore,
    private readonly transactions: Transactions,
    private readonly audit: AuditLogService,
  ) {}

  readPage(workspaceId: string, owner: StateOwner, page: StatePageRequest): Promise<StatePage> {
    return this.store.readPage({ workspaceId, ownerId: idOf(workspaceId, owner), copyOf: null, begin: null }, page);
  }

  /** Records an audit event only if something was deleted. */
  async deleteState(actor: Principal, owner: StateOwner, key: string | undefined): Promise<void> {
    const { workspaceId } = actor;
    const ownerId = idOf(workspaceId, owner);
    await this.transactions.run(async (transaction) => {
      const deleted = await this.store.deleteState({ workspaceId, ownerId }, key, transaction);
      if (deleted === 0) return;
      const detail = { entries: deleted, ...(key !== undefined && { key }) };
      await this.audit.record(actor, { action: DELETIONS[owner.kind], target: ownerId, detail }, transaction);
    });
  }
}

function idOf(workspaceId: string, owner: StateOwner): string {
  return owner.kind === 'agent' ? owner.agentId : workspaceId;
}

export type EntryView = {
  key: string;
  value: JsonValue;
  version: number;
  updated_at: string;
  expires_at: string | null;
};

export function presentEntry({ key, value, version, updatedAt, expiresAt }: StateEntry): EntryView {
  return {
    key,
    value,
    version,
    updated_at: updatedAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
  };
}

export function presentAbsence(key: string, value: JsonValue): Omit<EntryView, 'updated_at'> & { updated_at: null } {
  return { key, value, version: 0, updated_at: null, expires_at: null };
}
