import type { ApiKeyKind } from '@app/platform/crypto';
import { orUnavailable, type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { NewApiKeyRecord } from './api-key-minting.js';
import { ApiKey } from './api-key.entity.js';
import type { Role } from './roles.js';

/** A key that was not revoked, with its member and workspace. */
export interface KeyOwner {
  keyId: string;
  keyName: string;
  kind: ApiKeyKind;
  keyRole: Role;
  scopes: string[] | null;
  expiresAt: Date | null;
  /** Whether a minute has passed since a use was last recorded. */
  useIsUnrecorded: boolean;
  memberId: string;
  email: string;
  memberRole: Role;
  workspaceId: string;
  workspaceName: string;
}

// The one read without a workspace: this is where a request learns which one it belongs to.
const FIND_OWNER: Statement = {
  name: 'workspace.find_key_owner',
  text: `select k.id as "keyId", k.name as "keyName", k.kind, k.role as "keyRole", k.scopes, k.expires_at as "expiresAt",
      coalesce(k.last_used_at < clock_timestamp() - interval '1 minute', true) as "useIsUnrecorded",
      m.id as "memberId", m.email, m.role as "memberRole", w.id as "workspaceId", w.name as "workspaceName"
    from api_keys k
    join members m on m.workspace_id = k.workspace_id and m.id = k.member_id
    join workspaces w on w.id = k.workspace_id
    where k.hash = $1 and k.revoked_at is null`,
};

// Compare-and-set: of all the processes that see a key in use, one writes it down each minute.
const RECORD_USE: Statement = {
  name: 'workspace.record_key_use',
  text: `update api_keys set last_used_at = clock_timestamp()
    where workspace_id = $1 and id = $2
      and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')`,
};

@Injectable()
export class ApiKeyRepository {
  constructor(
    @InjectRepository(ApiKey) private readonly table: Repository<ApiKey>,
    private readonly statements: Statements,
  ) {}

  async findOwner(hash: Buffer): Promise<KeyOwner | undefined> {
    const [owner] = await this.statements.query<KeyOwner>(FIND_OWNER, [hash]);
    return owner;
  }

  async recordUse(workspaceId: string, keyId: string): Promise<void> {
    await this.statements.query(RECORD_USE, [workspaceId, keyId]);
  }

  async insert(record: NewApiKeyRecord, transaction?: Transaction): Promise<ApiKey> {
    const table = transaction?.manager.getRepository(ApiKey) ?? this.table;
    const row = table.create(record);
    await orUnavailable(table.insert(row));
    return row;
  }
}
