import { DomainError, type JsonObject } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';
import {
  type CompiledDefinition,
  type DefinitionFormat,
  type DefinitionLimits,
  type DefinitionWarning,
  parseDefinition,
  type Mentions,
} from '@app/definition';

export interface DefinitionSource {
  text: string;
  format: DefinitionFormat;
}

export interface SubmittedDefinition extends Mentions {
  name: string;
  description: string;
  labels: Record<string, string>;
  record: {
    source: string;
    sourceFormat: DefinitionFormat;
    definition: JsonObject;
    definitionHash: string;
  };
  compiled: CompiledDefinition;
  warnings: readonly DefinitionWarning[];
}

/**
 * @throws DomainError `invalid_yaml`, `invalid_json`, `definition_invalid` (each with `errors`), `payload_too_large`
 */
export function readDefinition({ text, format }: DefinitionSource, limits: DefinitionLimits): SubmittedDefinition {
  const parsed = parseDefinition(text, format, limits);
  if (!parsed.ok) throw new DomainError(parsed.code, parsed.detail, { errors: parsed.errors });
  const { compiled, definition, canonical, secrets, knowledge, groups, models, connections, fixtures, warnings } =
    parsed;
  return {
    compiled,
    name: compiled.name,
    description: compiled.description ?? '',
    labels: { ...compiled.labels },
    record: { source: text, sourceFormat: format, definition, definitionHash: sha256(canonical).toString('hex') },
    secrets,
    knowledge,
    groups,
    models,
    connections,
    fixtures,
    warnings,
  };
}
