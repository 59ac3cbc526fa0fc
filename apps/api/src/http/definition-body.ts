import type { IncomingMessage } from 'node:http';
import type { DefinitionSource } from '@app/agents';
import { DomainError } from '@app/kernel';
import { readTextBody } from './request-body.js';

export const DEFINITION_TYPES = ['application/yaml', 'text/yaml', 'application/x-yaml', 'application/json'] as const;
const RULES = { types: DEFINITION_TYPES, limit: 256 * 1024 };

/**
 * The agent definition in the body, as it was sent: the service keeps exactly this text.
 * @throws DomainError `invalid_request` for an empty body, and what {@link readTextBody} throws
 */
export async function readDefinitionBody(request: IncomingMessage): Promise<DefinitionSource> {
  const { text, type } = await readTextBody(request, RULES);
  if (text.trim() === '') throw new DomainError('invalid_request', 'The body is empty. An agent definition is needed.');
  return { text, format: type === 'application/json' ? 'json' : 'yaml' };
}
