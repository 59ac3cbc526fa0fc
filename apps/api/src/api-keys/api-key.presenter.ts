import type { Response } from 'express';
import type { KeyOfMember, NewKeyOfMember } from '@app/workspace';
import { created, markReplayed } from '../http/answers.js';
import type { ApiKeyResource, NewApiKeyResource } from './api-key.dto.js';

export function presentApiKey({ apiKey, member }: KeyOfMember): ApiKeyResource {
  const { id, name, kind, role, scopes, prefix, lastFour } = apiKey;
  return {
    id,
    name,
    kind,
    role,
    member,
    scopes,
    prefix,
    last_four: lastFour,
    created_at: apiKey.createdAt.toISOString(),
    expires_at: apiKey.expiresAt?.toISOString() ?? null,
    last_used_at: apiKey.lastUsedAt?.toISOString() ?? null,
    previous_expires_at: apiKey.previousExpiresAt?.toISOString() ?? null,
  };
}

/** With the text of the key, for the only time. */
function presentNewApiKey(made: NewKeyOfMember): NewApiKeyResource {
  return Object.assign(presentApiKey(made), { key: made.key });
}

/** The answer to a rotation: the key, and whether this is a repeated answer. */
export function presentRotation(response: Response, made: NewKeyOfMember & { replayed: boolean }): NewApiKeyResource {
  if (made.replayed) markReplayed(response);
  return presentNewApiKey(made);
}

/** The answer to a creation: the key, and whether this is a repeated answer. */
export function presentCreation(response: Response, made: NewKeyOfMember & { replayed: boolean }): NewApiKeyResource {
  if (made.replayed) markReplayed(response);
  return created(response, `/v1/api-keys/${made.apiKey.id}`, presentNewApiKey(made));
}
