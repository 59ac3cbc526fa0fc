import type { CatalogModel } from '../data/api.js';
import { placeAt, type YamlPlace } from '../data/yaml-place.js';
import type { Suggestion } from './suggestion.js';

/** Returns the providers, models and effort levels of the catalogue that fit at the place. */
export function modelSuggestions(models: readonly CatalogModel[], text: string, place: YamlPlace): Suggestion[] {
  const { path, key, siblings } = place;
  const parent = path.at(-1);
  if (key === 'model' || (key === undefined && parent === null && path.at(-2) === 'fallback'))
    return models.map((model) => suggestionOf(`${model.provider}/${model.name}`, model));
  if (parent === 'params' && key === 'effort') return effortSuggestions(models, text, place);
  if (parent !== 'model') return [];
  if (key === 'provider')
    return [...new Set(models.map(({ provider }) => provider))].map((provider) => suggestionOf(provider));
  if (key !== 'name') return [];
  const provider = siblings.get('provider');
  return models
    .filter((model) => provider === undefined || model.provider === provider)
    .map((model) => suggestionOf(model.name, model));
}

function effortSuggestions(models: readonly CatalogModel[], text: string, { from }: YamlPlace): Suggestion[] {
  const chosen = placeAt(text, text.lastIndexOf('params:', from) + 'params'.length)?.siblings;
  const named = models.find(
    ({ provider, name }) => provider === chosen?.get('provider') && name === chosen.get('name'),
  );
  return (named?.effort ?? []).map((level) => suggestionOf(level));
}

function suggestionOf(label: string, model?: CatalogModel): Suggestion {
  const info = model?.ends_at ? `The provider switches it off on ${model.ends_at}.` : '';
  return { label, insert: label, detail: model && model.used_by > 0 ? 'in use' : '', info };
}
