import { randomBytes } from 'node:crypto';
import { newId } from '@app/kernel';
import { type ApiKeyKind, newApiKey } from '@app/platform/crypto';
import type { Service } from './stack.js';

export interface AddedKey {
  workspaceId: string;
  memberId: string;
  name: string;
  kind: ApiKeyKind;
  role: string;
}

const ADD_WORKSPACE = 'insert into workspaces (id, name) values ($1, $2)';
const ADD_MEMBER = `
  insert into members (id, workspace_id, email, role) values ($1, $2, $3, $4)
  on conflict (workspace_id, email) do update set role = excluded.role returning id`;
const ADD_KEY = `
  insert into api_keys (id, workspace_id, member_id, name, kind, role, hash, prefix, last_four)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

export async function addKey(
  database: Pick<Service, 'query'>,
  { workspaceId, memberId, name, kind, role }: AddedKey,
): Promise<string> {
  const { key, hash, prefix, lastFour } = newApiKey(kind);
  const values = [newId('apiKey'), workspaceId, memberId, name, kind, role, hash, prefix, lastFour];
  await database.query(ADD_KEY, values);
  return key;
}

export async function addWorkspace(
  database: Pick<Service, 'query'>,
): Promise<{ workspaceId: string; adminKey: string }> {
  const workspaceId = newId('workspace');
  await database.query(ADD_WORKSPACE, [workspaceId, `shared-${randomBytes(4).toString('hex')}`]);
  const admin = { workspaceId, email: 'admin@example.com', role: 'admin', name: 'first admin key' };
  const adminKey = await addMemberKey(database, admin);
  return { workspaceId, adminKey };
}

export async function addMemberKey(
  database: Pick<Service, 'query'>,
  { email, kind = 'live', ...key }: Omit<AddedKey, 'memberId' | 'kind'> & { email: string; kind?: ApiKeyKind },
): Promise<string> {
  const values = [newId('member'), key.workspaceId, email, key.role];
  const [member] = await database.query<{ id: string }>(ADD_MEMBER, values);
  return addKey(database, { ...key, kind, memberId: member!.id });
}
