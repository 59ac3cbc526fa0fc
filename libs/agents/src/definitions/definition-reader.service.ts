import { DomainError } from '@app/kernel';
import { type DefinitionLimitsConfig, definitionLimitsConfig } from './definition-limits.config.js';
import { Inject, Injectable } from '@nestjs/common';
import { parseDefinition } from '@app/definition';
import { DefinitionReferencesService } from './definition-references.service.js';
import { type DefinitionSource, readDefinition, type SubmittedDefinition } from './submitted-definition.js';
import { type Described, ToolDescriberService } from './tool-describer.service.js';

export interface DescribedDefinition extends SubmittedDefinition {
  readonly descriptions: Described['descriptions'];
  /**
   * The error that rejects the definition, or null. The caller throws this error only after it has looked up the
   * idempotency key. A repeated request therefore gets the response of the first request, even if the checks fail now.
   */
  readonly refusal: DomainError | null;
}

@Injectable()
export class DefinitionReaderService {
  constructor(
    private readonly describer: ToolDescriberService,
    private readonly references: DefinitionReferencesService,
    @Inject(definitionLimitsConfig.KEY) private readonly config: DefinitionLimitsConfig,
  ) {}

  /**
   * Checks the text of the definition only, without calls to tool servers.
   * @throws DomainError the errors of {@link readDefinition}
   */
  parse(source: DefinitionSource): SubmittedDefinition {
    return readDefinition(source, this.config.definitionLimits);
  }

  /**
   * Checks the text of the definition, requests the descriptions of its tools, and looks up its references.
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
}
