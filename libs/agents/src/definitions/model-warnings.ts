import {
  type CompiledDefinition,
  type DefinitionWarning,
  MODEL_PARAM_MEMBERS,
  type ModelMention,
  type ModelParams,
} from '@app/definition';
import type { ModelFacts, ModelsConfig } from '@app/platform/models';

type Providers = ModelsConfig['modelProviders'];

const DAY_MILLIS = 86_400_000;
/** A model that ends within this time is reported, so that its replacement can be tested before. */
const NOTICE_DAYS = 90;

export function modelWarnings(
  providers: Providers,
  models: readonly ModelMention[],
  params: ModelParams | undefined,
  now: Date,
): DefinitionWarning[] {
  return models.flatMap((mention) => {
    const facts = providers.get(mention.provider)?.models.get(mention.name);
    if (!facts) return [];
    const set = facts.refuses.filter((word) => params?.[MODEL_PARAM_MEMBERS[word]] !== undefined);
    const refused = set.map((word) => ({
      ...mention.placeOf(`params/${word}`),
      detail: `The model \`${mention.provider}/${mention.name}\` refuses the parameter \`${word}\`. It is left out of requests.`,
      suggestion: `Remove \`${word}\`.`,
    }));
    return [...refused, ...effortWarning(mention, facts, params?.effort), ...endWarning(mention, facts, now)];
  });
}

function effortWarning(
  { provider, name, placeOf }: ModelMention,
  { effort: levels }: ModelFacts,
  asked: ModelParams['effort'],
): DefinitionWarning[] {
  if (asked === undefined || levels === null || levels.includes(asked)) return [];
  const place = placeOf('params/effort');
  const model = `\`${provider}/${name}\``;
  if (levels.length > 0) {
    const detail = `The model ${model} has no effort \`${asked}\`. Requests ask for the nearest level that it has.`;
    return [{ ...place, detail, suggestion: `Use one of: ${levels.join(', ')}.` }];
  }
  const detail = `The model ${model} has no levels of effort. \`effort\` is left out of requests.`;
  return [{ ...place, detail, suggestion: 'Remove `effort`.' }];
}

export function endingModels(
  providers: Providers,
  { model }: Pick<CompiledDefinition, 'model'>,
  now: Date,
): DefinitionWarning[] {
  if (!model) return [];
  const fallbacks = model.fallback.map((choice, index) => ({ choice, pointer: `/model/fallback/${index}` }));
  return [{ choice: model, pointer: '/model/name' }, ...fallbacks].flatMap(({ choice, pointer }) => {
    const { provider, name } = choice;
    const facts = providers.get(provider)?.models.get(name);
    return facts ? endWarning({ provider, name, placeOf: () => ({ pointer }) }, facts, now) : [];
  });
}

function endWarning(
  mention: Pick<ModelMention, 'provider' | 'name' | 'placeOf'>,
  { endsAt }: ModelFacts,
  now: Date,
): DefinitionWarning[] {
  if (endsAt === null) return [];
  const left = Date.parse(`${endsAt}T00:00:00Z`) - now.getTime();
  if (left >= NOTICE_DAYS * DAY_MILLIS) return [];
  const model = `${mention.provider}/${mention.name}`;
  const detail =
    left > 0
      ? `The provider switches the model \`${model}\` off on ${endsAt}.`
      : `The provider switched the model \`${model}\` off on ${endsAt}.`;
  const suggestion = 'Use another model, see `aas models list`.';
  return [{ ...mention.placeOf('name'), detail, suggestion }];
}
