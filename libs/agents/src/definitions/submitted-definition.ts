import { DomainError, type JsonObject } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';
import {
  type CompiledDefinition,
  type DefinitionFormat,
  type DefinitionLimits,
  type DefinitionWarning,
  parseDefinition,
  type GroupMention,
  type KnowledgeMention,
  type ModelMention,
  type SecretUse,
} from '@app/definition';

/** A definition as somebody sends it. */
export interface DefinitionSource {
  text: string;
  format: DefinitionFormat;
}

/** A definition that passed every check: what an agent is called by it, and what a version stores of it. */
export interface SubmittedDefinition {
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
  /** Each mention of a secret. */
  secrets: readonly SecretUse[];
  /** Each mention of a knowledge base. */
  knowledge: readonly KnowledgeMention[];
  /** Each mention of a group. */
  groups: readonly GroupMention[];
  /** Each mention of a model. */
  models: readonly ModelMention[];
  warnings: readonly DefinitionWarning[];
}

/**
 * Reads a definition and refuses one that could not run.
 * @throws DomainError `invalid_yaml`, `invalid_json`, `definition_invalid` (each with `errors`), `payload_too_large`
 */
export function readDefinition({ text, format }: DefinitionSource, limits: DefinitionLimits): SubmittedDefinition {
  const parsed = parseDefinition(text, format, limits);
  if (!parsed.ok) throw new DomainError(parsed.code, parsed.detail, { errors: parsed.errors });
  const { compiled, definition, canonical, secrets, knowledge, groups, models, warnings } = parsed;
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
    warnings,
  };
}
