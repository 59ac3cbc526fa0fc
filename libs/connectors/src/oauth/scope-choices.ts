import type { EgressClient } from '@app/platform/egress';
import { filled } from './described-template.js';
import { type ProviderAccess, ProviderApi } from './provider-api.js';
import type { SourceProvider } from './source-providers.service.js';

const MAX_CHOICES = 1_000;
const MAX_PAGES = 10;

export interface ScopeChoice {
  /** The text that selects this scope in the configuration of a source. */
  id: string;
  title: string;
}

/** `isComplete` is false if the provider has more scopes than `choices` lists. */
export interface ScopeChoices {
  choices: ScopeChoice[];
  isComplete: boolean;
}

/** Returns undefined if the description of the provider does not say how scopes are listed. */
export async function readScopeChoices(
  provider: SourceProvider,
  access: ProviderAccess,
  egress: EgressClient,
): Promise<ScopeChoices | undefined> {
  const { choices: list, pattern } = provider.api.scope;
  if (!list) return undefined;
  const api = new ProviderApi(provider, access, egress);
  const isScope = new RegExp(pattern);
  const found = new Map<string, ScopeChoice>();
  let next: string | null = null;
  for (let page = 0; page < MAX_PAGES && found.size < MAX_CHOICES; page++) {
    const listed = await api.readList(list, next);
    for (const item of listed.items) {
      const id = filled(list.id, { scope: '', item });
      if (id === undefined || !isScope.test(id)) continue;
      found.set(id, { id, title: filled(list.title, { scope: '', item }) || id });
    }
    next = listed.next;
    if (next === null) break;
  }
  const choices = [...found.values()];
  return { choices: choices.slice(0, MAX_CHOICES), isComplete: next === null && choices.length <= MAX_CHOICES };
}
