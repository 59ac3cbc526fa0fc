import type { RunNow } from '@app/triggers';
import type { Principal } from '@app/workspace';
import { idempotencyClaim } from '../http/idempotency-key.js';

/** What `POST /v1/agents/{id}/triggers/{trigger_id}/run` asks for. It has no body: the key alone says which request it is. */
export function runNowRequest(
  principal: Principal,
  agentId: string,
  triggerId: string,
  key: string | undefined,
): RunNow {
  const claim = idempotencyClaim(`POST /v1/agents/${agentId}/triggers/${triggerId}/run`, key, {});
  return {
    workspaceId: principal.workspaceId,
    agentId,
    triggerId,
    initiator: { email: principal.email, keyKind: principal.key.kind },
    ...(claim && { idempotency: claim }),
  };
}
