import type { ApiKeyKind } from '@app/platform/crypto';

import { ApiClient } from './api-client.js';
import { addKey } from './added-workspace.js';
import type { Service } from './stack.js';

/**
 * Creates a member in the workspace of the stack, and adds the member to the groups. Returns a client with an API key
 * of the member.
 */
export async function aPerson(
  stack: Service,
  email: string,
  { role = 'operator', kind = 'live' }: { role?: string; kind?: ApiKeyKind } = {},
): Promise<ApiClient> {
  const { id } = await stack.client.expect<{ id: string }>('POST', '/v1/members', { email, role });
  const key = await addKey(stack, { workspaceId: stack.workspaceId, memberId: id, name: email, kind, role });
  return new ApiClient(() => stack.baseUrl, key);
}

export async function aMachine(stack: Service, member: string, role = 'admin'): Promise<ApiClient> {
  const wanted = { name: 'machine', kind: 'live', role, member, automation: true };
  const { key } = await stack.client.expect<{ key: string }>('POST', '/v1/api-keys', wanted);
  return new ApiClient(() => stack.baseUrl, key);
}

export async function aGroup(stack: Service, name: string, members: string[]): Promise<void> {
  await stack.client.expect('POST', '/v1/groups', { name, members });
}
