import type { aas } from '../data/api.js';

export type ApiKey = Awaited<ReturnType<typeof aas.apiKeys.list>>['data'][number];
export type KeyKind = ApiKey['kind'];

export const KEYS = ['api-keys'] as const;
