import type { AgentAutomation } from '../../../../packages/sdk/src/index.js';

export type CatalogModel = Awaited<ReturnType<AgentAutomation['models']['list']>>['data'][number];

export function nameOfModel({ provider, name }: Pick<CatalogModel, 'provider' | 'name'>): string {
  return `${provider}/${name}`;
}

/** Returns the model that most agents use, or else the first one. */
export function preferredModel(models: readonly CatalogModel[]): CatalogModel | undefined {
  return models.toSorted((one, other) => other.used_by - one.used_by)[0];
}
