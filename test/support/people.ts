import { type ApiKeyKind, newApiKey } from '@app/platform/crypto';
import { newId } from '@app/kernel';

import { ApiClient } from './api-client.js';
import type { Stack } from './stack.js';

const ADD_KEY = `
  insert into api_keys (id, workspace_id, member_id, name, kind, role, hash, prefix, last_four)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

/**
 * Creates a member in the workspace of the stack, and adds the member to the groups. Returns a client with an API key
 * of the member.
 */
export async function aPerson(
  stack: Stack,
  email: string,
  { role = 'operator', kind = 'live' }: { role?: string; kind?: ApiKeyKind } = {},
): Promise<ApiClient> {
  const { id } = await stack.client.expect<{ id: string }>('POST', '/v1/members', { email, role });
  const { key, hash, prefix, lastFour } = newApiKey(kind);
  const values = [newId('apiKey'), stack.workspaceId, id, email, kind, role, hash, prefix, lastFour];
  await stack.query(ADD_KEY, values);
  return new ApiClient(() => stack.baseUrl, key);
}

/** Returns a client with another API key of the member, which decides no approval. */
export async function aMachine(stack: Stack, member: string, role = 'admin'): Promise<ApiClient> {
  const wanted = { name: 'machine', kind: 'live', role, member, automation: true };
  const { key } = await stack.client.expect<{ key: string }>('POST', '/v1/api-keys', wanted);
  return new ApiClient(() => stack.baseUrl, key);
}

export async function aGroup(stack: Stack, name: string, members: string[]): Promise<void> {
  await stack.client.expect('POST', '/v1/groups', { name, members });
}
