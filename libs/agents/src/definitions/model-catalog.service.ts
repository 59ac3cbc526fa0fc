import { isJsonObject, type JsonValue } from '@app/kernel';
import { type Statement, Statements } from '@app/platform/database';
import { type ModelFacts, type ModelPrice, type ModelsConfig, modelsConfig, UNKNOWN_MODEL } from '@app/platform/models';
import { Inject, Injectable } from '@nestjs/common';

export interface CatalogEntry {
  readonly provider: string;
  readonly name: string;
  readonly facts: ModelFacts;
  readonly price: ModelPrice | null;
  readonly usedBy: number;
}

const MODELS_IN_PRODUCTION: Statement = {
  name: 'agents.models_in_production',
  text: `select v.definition -> 'model' as model from agents a
    join agent_versions v on v.workspace_id = a.workspace_id and v.agent_id = a.id and v.version = a.production_version
    where a.workspace_id = $1 and a.status <> 'archived' and v.definition -> 'model' is not null
      and ($2::text[] is null or a.id = any($2))`,
};

@Injectable()
export class ModelCatalogService {
  constructor(
    private readonly statements: Statements,
    @Inject(modelsConfig.KEY) private readonly config: ModelsConfig,
  ) {}

  /** Counts only these agents, or all if `agents` is null. */
  async listModels(workspaceId: string, agents: readonly string[] | null): Promise<CatalogEntry[]> {
    const rows = await this.statements.query<{ model: JsonValue }>(MODELS_IN_PRODUCTION, [workspaceId, agents]);
    const uses = new Map<string, number>();
    for (const { model } of rows) for (const key of new Set(namesIn(model))) uses.set(key, (uses.get(key) ?? 0) + 1);
    const known = [...this.config.modelProviders.values()].flatMap(({ name: provider, prices, models }) =>
      [...prices.keys(), ...models.keys()].map((name) => `${provider}/${name}`),
    );
    const entries = [...new Set([...known, ...uses.keys()])].map((key) => this.entryOf(key, uses.get(key) ?? 0));
    return entries.sort((a, b) => compare(a.provider, b.provider) || compare(a.name, b.name));
  }

  private entryOf(key: string, usedBy: number): CatalogEntry {
    const slash = key.indexOf('/');
    const [provider, name] = [key.slice(0, slash), key.slice(slash + 1)];
    const profile = this.config.modelProviders.get(provider);
    const facts = profile?.models.get(name) ?? UNKNOWN_MODEL;
    return { provider, name, facts, price: profile?.prices.get(name) ?? null, usedBy };
  }
}

function namesIn(model: JsonValue | undefined): string[] {
  if (typeof model === 'string') return [model];
  if (!isJsonObject(model) || typeof model.provider !== 'string' || typeof model.name !== 'string') return [];
  const fallbacks = Array.isArray(model.fallback) ? model.fallback.flatMap(namesIn) : [];
  return [`${model.provider}/${model.name}`, ...fallbacks];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
