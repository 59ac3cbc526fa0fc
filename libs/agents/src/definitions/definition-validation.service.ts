import type { ErrorPlace } from '@app/kernel';
import { type DefinitionLimitsConfig, definitionLimitsConfig } from './definition-limits.config.js';
import { Inject, Injectable } from '@nestjs/common';
import { type DefinitionWarning, parseDefinition } from '@app/definition';
import { DefinitionReferencesService } from './definition-references.service.js';
import type { DefinitionSource } from './submitted-definition.js';
import { ToolDescriber } from './tool-describer.service.js';

/**
 * What creation asks others about, beside the text itself: tool servers, agents that are tools, secrets, knowledge
 * bases, groups.
 */
export const ASKED_AT_CREATION = ['tools', 'agents', 'secrets', 'knowledge', 'groups'] as const;

export interface ValidatedDefinition {
  /** Why it cannot become a version; none: it can. */
  errors: readonly ErrorPlace[];
  warnings: readonly DefinitionWarning[];
  /** What was not asked about. */
  unchecked: readonly (typeof ASKED_AT_CREATION)[number][];
}

/** Checks definitions as creation does, and stores nothing. */
@Injectable()
export class DefinitionValidation {
  constructor(
    private readonly describer: ToolDescriber,
    private readonly references: DefinitionReferencesService,
    @Inject(definitionLimitsConfig.KEY) private readonly config: DefinitionLimitsConfig,
  ) {}

  /**
   * `asksOthers`: whether whoever asks could create the agent. Tool servers are asked with the secrets that the
   * definition names for them, so nobody else's definition may send them anywhere.
   */
  async validate(workspaceId: string, source: DefinitionSource, asksOthers: boolean): Promise<ValidatedDefinition> {
    const { definitionLimits } = this.config;
    const parsed = parseDefinition(source.text, source.format, definitionLimits);
    if (!parsed.ok) {
      const errors = parsed.errors.length > 0 ? parsed.errors : [{ pointer: '', detail: parsed.detail }];
      return { errors, warnings: [], unchecked: ASKED_AT_CREATION };
    }
    if (!asksOthers) return { errors: [], warnings: parsed.warnings, unchecked: ASKED_AT_CREATION };
    const described = await this.describer.describe(workspaceId, parsed.compiled, parsed.definition);
    const isPlain = described.problems.length === 0 && Object.keys(described.descriptions).length === 0;
    const again = isPlain ? parsed : parseDefinition(source.text, source.format, definitionLimits, { described });
    if (!again.ok) return { errors: again.errors, warnings: [], unchecked: [] };
    const missing = await this.references.findMissing(workspaceId, parsed);
    const errors = this.references.uncountableCosts(parsed);
    return { errors, warnings: [...again.warnings, ...missing], unchecked: [] };
  }
}
