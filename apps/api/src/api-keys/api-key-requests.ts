import { type JsonObject, parseTimestamp } from '@app/kernel';
import type { IdempotencyClaim, NewApiKeyRequest } from '@app/workspace';
import { idempotencyClaim } from '../http/idempotency-key.js';
import type { CreateApiKeyBody } from './api-key.dto.js';

/** What `POST /v1/api-keys` asks for. */
export function newApiKeyRequest(body: CreateApiKeyBody): NewApiKeyRequest {
  const { name, kind, role, member, scopes, expires_at } = body;
  const expiresAt = typeof expires_at === 'string' ? (parseTimestamp(expires_at) ?? null) : null;
  return { name, kind, role, member, scopes: scopes ? [...new Set(scopes)] : null, expiresAt };
}

/** A body that leaves out a default is the same as one that gives it. */
export function creationClaim(body: CreateApiKeyBody, key: string | undefined): IdempotencyClaim | undefined {
  const { name, kind, role, member, scopes, expires_at } = body;
  const said: JsonObject = { name, kind, role, member, scopes: scopes ?? null, expires_at: expires_at ?? null };
  return idempotencyClaim('POST /v1/api-keys', key, said);
}
