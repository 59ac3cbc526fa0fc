import { DomainError, type ErrorPlace } from '@app/kernel';
import { type DefinitionLimitsConfig, definitionLimitsConfig } from './definition-limits.config.js';
import { Inject, Injectable } from '@nestjs/common';
import { type DefinitionWarning, parseDefinition } from '@app/definition';
import { type DefinitionNote, DefinitionReferencesService } from './definition-references.service.js';
import { type DefinitionSource, readDefinition, type SubmittedDefinition } from './submitted-definition.js';
import { type Described, ToolDescriberService } from './tool-describer.service.js';

export interface DescribedDefinition extends SubmittedDefinition {
  readonly descriptions: Described['descriptions'];
  /** The caller throws this error only after it has looked up the idempotency key. */
  readonly refusal: DomainError | null;
}

export const ASKED_AT_CREATION = ['tools', 'agents', 'secrets', 'knowledge', 'groups'] as const;

export interface ValidatedDefinition {
  errors: readonly ErrorPlace[];
  warnings: readonly DefinitionWarning[];
  notes: readonly DefinitionNote[];
  unchecked: readonly (typeof ASKED_AT_CREATION)[number][];
}

@Injectable()
export class DefinitionReaderService {
  constructor(
    private readonly describer: ToolDescriberService,
    private readonly references: DefinitionReferencesService,
    @Inject(definitionLimitsConfig.KEY) private readonly config: DefinitionLimitsConfig,
  ) {}

  /** @throws DomainError the errors of {@link readDefinition} */
  parse(source: DefinitionSource): SubmittedDefinition {
    return readDefinition(source, this.config.definitionLimits);
  }

  /**
   * @param agentId the agent that the definition is a version of, or undefined for a new agent
   * @throws DomainError the errors of {@link readDefinition}
   */
  async read(workspaceId: string, source: DefinitionSource, agentId?: string): Promise<DescribedDefinition> {
    const { definitionLimits } = this.config;
    const submitted = readDefinition(source, definitionLimits);
    const { compiled, record } = submitted;
    const described = await this.describer.describe(workspaceId, compiled, record.definition);
    const { descriptions, problems } = described;
    const absent = await this.references.findMissing(workspaceId, submitted, agentId);
    const uncountable = this.references.uncountableCosts(submitted);
    if (uncountable.length > 0) {
      const [{ detail } = { detail: '' }] = uncountable;
      const refusal = new DomainError('definition_invalid', detail, { errors: uncountable });
      return { ...submitted, warnings: [...submitted.warnings, ...absent], descriptions, refusal };
    }
    if (problems.length === 0 && Object.keys(descriptions).length === 0)
      return { ...submitted, warnings: [...submitted.warnings, ...absent], descriptions, refusal: null };
    const parsed = parseDefinition(source.text, source.format, definitionLimits, { described });
    if (parsed.ok) return { ...submitted, warnings: [...parsed.warnings, ...absent], descriptions, refusal: null };
    return {
      ...submitted,
      descriptions,
      refusal: new DomainError(parsed.code, parsed.detail, { errors: parsed.errors }),
    };
  }

  /**
   * @param asksOthers whether to make the checks in {@link ASKED_AT_CREATION}. These checks send secrets of the
   * workspace to tool servers. Pass false if the caller of the API has no permission to create agents.
   */
  async validate(workspaceId: string, source: DefinitionSource, asksOthers: boolean): Promise<ValidatedDefinition> {
    const { definitionLimits } = this.config;
    const parsed = parseDefinition(source.text, source.format, definitionLimits);
    if (!parsed.ok) {
      const errors = parsed.errors.length > 0 ? parsed.errors : [{ pointer: '', detail: parsed.detail }];
      return { errors, warnings: [], notes: [], unchecked: ASKED_AT_CREATION };
    }
    const notes = this.references.notes(parsed);
    if (!asksOthers) {
      const warnings = [...parsed.warnings, ...this.references.modelWarnings(parsed)];
      return { errors: [], warnings, notes, unchecked: ASKED_AT_CREATION };
    }
    const described = await this.describer.describe(workspaceId, parsed.compiled, parsed.definition);
    const isPlain = described.problems.length === 0 && Object.keys(described.descriptions).length === 0;
    const again = isPlain ? parsed : parseDefinition(source.text, source.format, definitionLimits, { described });
    if (!again.ok) return { errors: again.errors, warnings: [], notes: [], unchecked: [] };
    const missing = await this.references.findMissing(workspaceId, parsed);
    const errors = this.references.uncountableCosts(parsed);
    return { errors, warnings: [...again.warnings, ...missing], notes, unchecked: [] };
  }
}
