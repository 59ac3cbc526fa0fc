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

const ADD_KEY = `
  insert into api_keys (id, workspace_id, member_id, name, kind, role, hash, prefix, last_four)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

/** Adds an API key to the database, and returns its text. */
export async function addKey(
  database: Pick<Service, 'query'>,
  { workspaceId, memberId, name, kind, role }: AddedKey,
): Promise<string> {
  const { key, hash, prefix, lastFour } = newApiKey(kind);
  const values = [newId('apiKey'), workspaceId, memberId, name, kind, role, hash, prefix, lastFour];
  await database.query(ADD_KEY, values);
  return key;
}
