import { didYouMean, type ErrorPlace } from '@app/kernel';
import { type ModelsConfig, modelsConfig } from '@app/platform/models';
import { Inject, Injectable } from '@nestjs/common';
import type { DefinitionWarning, ModelMention, ParsedDefinition } from '@app/definition';
import { KnowledgeDirectory } from './knowledge-directory.service.js';
import { NamedGroups } from './named-groups.service.js';
import { NamedSecrets } from './named-secrets.service.js';
import { uncountableCost } from './uncountable-cost.js';

type ParsedVersion = Extract<ParsedDefinition, { ok: true }>;
type Mentions = Pick<ParsedVersion, 'secrets' | 'knowledge' | 'groups' | 'models'>;

/** Checks that the secrets, knowledge bases, groups and model providers that a definition names exist. */
@Injectable()
export class DefinitionReferencesService {
  constructor(
    private readonly secrets: NamedSecrets,
    private readonly knowledge: KnowledgeDirectory,
    private readonly groups: NamedGroups,
    @Inject(modelsConfig.KEY) private readonly config: ModelsConfig,
  ) {}

  /**
   * Returns one warning for each reference to something that does not exist. It is not an error, because the target may
   * be created before the first run.
   */
  async findMissing(workspaceId: string, mentions: Mentions): Promise<DefinitionWarning[]> {
    return [
      ...(await this.secrets.warnings(workspaceId, mentions.secrets)),
      ...(await this.knowledge.warnings(workspaceId, mentions.knowledge)),
      ...(await this.groups.warnings(workspaceId, mentions.groups)),
      ...this.unknownProviders(mentions.models),
    ];
  }

  /**
   * Returns one error for each model whose cost a budget of the definition cannot count, because the model has no price
   * or a price in another currency. Models of a provider that is not configured are skipped.
   */
  uncountableCosts({ compiled, models }: Pick<ParsedVersion, 'compiled' | 'models'>): ErrorPlace[] {
    const { budget } = compiled.limits;
    if (!budget) return [];
    return models.flatMap(({ provider, name, place }) => {
      const known = this.config.modelProviders.get(provider);
      const problem = known && uncountableCost({ provider, name }, known.prices.get(name), budget.currency);
      return problem ? [{ ...place(), detail: problem.detail, suggestion: problem.remedy }] : [];
    });
  }

  private unknownProviders(models: readonly ModelMention[]): DefinitionWarning[] {
    const known = [...this.config.modelProviders.keys()];
    const listed = known.map((name) => `\`${name}\``).join(', ') || 'none';
    return models
      .filter(({ provider }) => !this.config.modelProviders.has(provider))
      .map(({ provider, place }) => ({
        ...place(),
        detail: `This installation has no model provider \`${provider}\`. It has: ${listed}.`,
        suggestion: didYouMean(provider, known) ?? 'Configure it with MODEL_PROVIDERS.',
      }));
  }
}
