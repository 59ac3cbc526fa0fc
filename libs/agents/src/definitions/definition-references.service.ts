import { Clock, didYouMean, type ErrorPlace, jsonPointer } from '@app/kernel';
import { type ModelPrice, type ModelsConfig, modelsConfig } from '@app/platform/models';
import { GroupsService } from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import {
  type DefinitionWarning,
  type GroupMention,
  type GroupTask,
  type Mentions,
  type ModelChoice,
  type ModelMention,
  type ParsedDefinition,
  structureMisfits,
} from '@app/definition';
import { ForeignNamesService } from './foreign-names.service.js';
import { NamedConnectionsService } from './named-connections.service.js';
import { NamedSecretsService } from './named-secrets.service.js';
import { modelWarnings } from './model-warnings.js';

type ParsedVersion = Extract<ParsedDefinition, { ok: true }>;

/** A fact about a place in a definition that needs no correction. */
export interface DefinitionNote {
  pointer: string;
  detail: string;
}

const TASKS: Readonly<Record<GroupTask, string>> = {
  approve: 'decide approvals of this agent',
  answer: 'answer questions of this agent',
  take_over: 'take over runs of this agent',
};

@Injectable()
export class DefinitionReferencesService {
  constructor(
    private readonly secrets: NamedSecretsService,
    private readonly connections: NamedConnectionsService,
    private readonly foreign: ForeignNamesService,
    private readonly groups: GroupsService,
    @Inject(modelsConfig.KEY) private readonly config: ModelsConfig,
    private readonly clock: Clock,
  ) {}

  modelWarnings({ compiled, models }: Pick<ParsedVersion, 'compiled' | 'models'>): DefinitionWarning[] {
    return modelWarnings(this.config.modelProviders, models, compiled.model?.params, this.clock.now());
  }

  notes({ definition, models }: Pick<ParsedVersion, 'definition' | 'models'>): DefinitionNote[] {
    const isOffered = models.some(
      ({ provider, name }) => this.config.modelProviders.get(provider)?.models.get(name)?.structuredOutput,
    );
    if (!isOffered) return [];
    return structureMisfits(definition).map(({ path, detail }) => ({
      pointer: jsonPointer(path),
      detail: `The schema is sent in the prompt, not as the response format of the model. ${detail}`,
    }));
  }

  /** A missing target is not an error, because it may be created before the first run. */
  async findMissing(
    workspaceId: string,
    mentions: Mentions & Pick<ParsedVersion, 'compiled'>,
    agentId?: string,
  ): Promise<DefinitionWarning[]> {
    const agent = { id: agentId, name: mentions.compiled.name };
    return [
      ...(await this.secrets.warnings(workspaceId, mentions.secrets)),
      ...(await this.connections.warnings(workspaceId, mentions.connections, agent)),
      ...(await this.foreign.warnings(workspaceId, mentions)),
      ...(await this.unknownGroups(workspaceId, mentions.groups)),
      ...this.unknownProviders(mentions.models),
      ...this.modelWarnings(mentions),
    ];
  }

  /** Returns one error for each model whose cost cannot be counted towards the budget of the definition. */
  uncountableCosts({ compiled, models }: Pick<ParsedVersion, 'compiled' | 'models'>): ErrorPlace[] {
    const { budget } = compiled.limits;
    if (!budget) return [];
    return models.flatMap(({ provider, name, place }) => {
      const known = this.config.modelProviders.get(provider);
      const problem = known && uncountableCost({ provider, name }, known.prices.get(name), budget.currency);
      return problem ? [{ ...place(), detail: problem.detail, suggestion: problem.remedy }] : [];
    });
  }

  /** If only such groups may decide an approval or answer a question, the approval or the question expires. */
  private async unknownGroups(workspaceId: string, mentions: readonly GroupMention[]): Promise<DefinitionWarning[]> {
    const missing = await this.groups.missing(workspaceId, [...new Set(mentions.map(({ group }) => group))]);
    return mentions
      .filter(({ group }) => missing.has(group))
      .map(({ group, task, place }) => ({
        ...place(),
        detail: `There is no group ${JSON.stringify(group)}, so no person can ${TASKS[task]}.`,
        suggestion: `Create it in the console under Settings, Groups, with \`aas groups create ${group}\` or with POST /v1/groups.`,
      }));
  }

  private unknownProviders(models: readonly ModelMention[]): DefinitionWarning[] {
    const known = [...this.config.modelProviders.keys()];
    const listed = known.map((name) => `\`${name}\``).join(', ') || 'none';
    return models
      .filter(({ provider }) => !this.config.modelProviders.has(provider))
      .map(({ provider, place }) => ({
        ...place(),
        detail: `This installation has no model provider \`${provider}\`. Available providers: ${listed}.`,
        suggestion:
          didYouMean(provider, known) ??
          'Use an available provider, or ask the operator to add this one to MODEL_PROVIDERS.',
      }));
  }
}

export function uncountableCost(
  { provider, name }: Pick<ModelChoice, 'provider' | 'name'>,
  price: ModelPrice | undefined,
  currency: string,
): { detail: string; remedy: string } | undefined {
  const model = `${provider}/${name}`;
  if (!price) {
    return {
      detail: `The budget cannot be enforced, because this installation has no price for the model \`${model}\`.`,
      remedy: `Set a price in ${currency} for the model in MODEL_PROVIDERS (0 if it is free), or remove the budget.`,
    };
  }
  if (price.currency === currency) return undefined;
  return {
    detail: `The budget cannot be enforced: it is in ${currency}, but the price of the model \`${model}\` is in ${price.currency}.`,
    remedy: `Write the budget in ${price.currency}, or set a price in ${currency} for the model in MODEL_PROVIDERS.`,
  };
}
