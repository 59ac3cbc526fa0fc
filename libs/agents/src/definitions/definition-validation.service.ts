import type { ErrorPlace } from '@app/kernel';
import { type DefinitionLimitsConfig, definitionLimitsConfig } from './definition-limits.config.js';
import { Inject, Injectable } from '@nestjs/common';
import { type DefinitionWarning, parseDefinition } from '@app/definition';
import { DefinitionReferencesService } from './definition-references.service.js';
import type { DefinitionSource } from './submitted-definition.js';
import { ToolDescriberService } from './tool-describer.service.js';

/** The checks that need more than the text of a definition: they call tool servers or read the workspace. */
export const ASKED_AT_CREATION = ['tools', 'agents', 'secrets', 'knowledge', 'groups'] as const;

export interface ValidatedDefinition {
  errors: readonly ErrorPlace[];
  warnings: readonly DefinitionWarning[];
  unchecked: readonly (typeof ASKED_AT_CREATION)[number][];
}

/** Makes the same checks as the creation of a version, but stores nothing. */
@Injectable()
export class DefinitionValidationService {
  constructor(
    private readonly describer: ToolDescriberService,
    private readonly references: DefinitionReferencesService,
    @Inject(definitionLimitsConfig.KEY) private readonly config: DefinitionLimitsConfig,
  ) {}

  /**
   * @param asksOthers whether to make the checks in {@link ASKED_AT_CREATION}. These checks send secrets of the
   * workspace to tool servers. Pass false if the caller of the API has no permission to create agents.
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
