import { MODEL_PARAM_MEMBERS, type ModelParams } from '@app/definition';
import { EFFORT_LEVELS, type EffortLevel, type JsonObject } from '@app/kernel';
import { type ModelProvider, UNKNOWN_MODEL } from '@app/platform/models';

export type ParamWarning = { param: string; reason: string };

export interface RequestParams {
  params: ModelParams;
  options: Record<string, JsonObject>;
  effort: EffortLevel | undefined;
  warnings: ParamWarning[];
}

/** @param mayThink false to ask Claude without thinking */
export function requestParams(
  provider: ModelProvider,
  name: string,
  asked: ModelParams,
  mayThink = true,
): RequestParams {
  if (!mayThink && isClaudeOf(provider, name)) return withoutThinking(provider, name, asked);
  const facts = provider.models.get(name) ?? UNKNOWN_MODEL;
  const warnings: ParamWarning[] = [];
  let params = asked;
  for (const param of facts.refuses) {
    if (params[MODEL_PARAM_MEMBERS[param]] === undefined) continue;
    params = withoutParam(params, param);
    warnings.push({ param, reason: `${provider.name}/${name} does not accept this parameter. It was left out.` });
  }
  const effort = asked.effort && effortOf(provider, name, asked.effort);
  if (asked.effort && effort !== asked.effort) {
    const what = effort ? `\`${effort}\` was sent instead` : 'It was left out';
    warnings.push({
      param: 'effort',
      reason: `${provider.name}/${name} does not accept \`${asked.effort}\`. ${what}.`,
    });
  }
  const isReasoning = (facts.effort?.length ?? 0) > 0;
  return { params, options: optionsOf(provider, effort, isReasoning), effort, warnings };
}

export function withoutParam(params: ModelParams, param: string): ModelParams {
  if (param === 'cache') return { ...params, cache: 'off' };
  const member = memberOf(param);
  return Object.fromEntries(Object.entries(params).filter(([name]) => name !== member));
}

export function isParamSet(params: ModelParams, param: string): boolean {
  const member = memberOf(param);
  return member !== undefined && params[member] !== undefined;
}

function memberOf(param: string): keyof ModelParams | undefined {
  return Object.entries(MODEL_PARAM_MEMBERS).find(([name]) => name === param)?.[1];
}

/** `name` is that of a provider or of the AI SDK. */
export function paramNamed(params: ModelParams, name: string): string | undefined {
  const known = Object.entries(MODEL_PARAM_MEMBERS).find(
    ([param, member]) => NAMES[param]?.includes(name) || member === name,
  );
  // The cache is used unless the definition turns it off.
  const isSet = known && (known[0] === 'cache' ? params.cache !== 'off' : params[known[1]] !== undefined);
  return isSet ? known[0] : undefined;
}

const NAMES: Readonly<Record<string, readonly string[]>> = {
  temperature: ['temperature'],
  top_p: ['top_p'],
  seed: ['seed'],
  stop: ['stop', 'stopSequences', 'stop_sequences'],
  max_output_tokens: ['max_output_tokens', 'max_tokens', 'max_completion_tokens'],
  effort: [
    ...['effort', 'reasoning', 'reasoning.effort', 'reasoning_effort', 'reasoningEffort', 'output_config.effort'],
    ...['thinking', 'providerOptions.anthropic.thinking', 'providerOptions.anthropic.effort'],
  ],
  cache: ['cache', 'prompt_cache_key', 'cache_control', 'cachePoint'],
};

function effortOf({ type, models }: ModelProvider, name: string, asked: EffortLevel): EffortLevel | undefined {
  const levels = models.get(name)?.effort;
  const level = levels ? nearestOf(levels, asked) : asked;
  if (level === undefined) return undefined;
  switch (type) {
    case 'anthropic':
      return level === 'minimal' ? 'low' : level;
    case 'bedrock':
      if (!isClaude(name)) return undefined;
      return level === 'minimal' ? 'low' : level;
    case 'google':
    case 'vertex':
      if (level === 'minimal') return 'low';
      return level === 'xhigh' || level === 'max' ? 'high' : level;
    case 'mistral':
      return level === 'none' ? 'none' : 'high';
    default:
      return level;
  }
}

/** A model that is known to think always would reject the request not to, so it is asked nothing about thinking. */
function withoutThinking(provider: ModelProvider, name: string, asked: ModelParams): RequestParams {
  const levels = provider.models.get(name)?.effort;
  const quiet = requestParams(provider, name, withoutParam(asked, 'effort'));
  const effort = !levels || levels.includes('none') ? 'none' : undefined;
  const reason = `${provider.name}/${name} was asked without thinking, because its earlier reasoning was left out.`;
  return {
    ...quiet,
    effort,
    options: optionsOf(provider, effort, false),
    warnings: [...quiet.warnings, { param: 'reasoning', reason }],
  };
}

export function isClaudeOf({ type }: ModelProvider, name: string): boolean {
  return type === 'anthropic' || (type === 'bedrock' && isClaude(name));
}

function isClaude(name: string): boolean {
  return /claude|anthropic/i.test(name);
}

function nearestOf(levels: readonly EffortLevel[], asked: EffortLevel): EffortLevel | undefined {
  const rank = (level: EffortLevel): number => EFFORT_LEVELS.indexOf(level);
  const sorted = levels.toSorted((one, other) => rank(one) - rank(other));
  return sorted.findLast((level) => rank(level) <= rank(asked)) ?? sorted[0];
}

function optionsOf(
  { type, name }: ModelProvider,
  effort: EffortLevel | undefined,
  isReasoning: boolean,
): Record<string, JsonObject> {
  const force: JsonObject = isReasoning ? { forceReasoning: true } : {};
  const sent: JsonObject = effort ? { reasoningEffort: effort } : {};
  const isOff = effort === 'none';
  switch (type) {
    case 'openai':
    case 'azure':
      return isReasoning || effort ? { openai: { ...sent, ...force }, azure: { ...sent, ...force } } : {};
    case 'openai-compatible':
      return effort ? { [name]: sent } : {};
    case 'mistral':
      return effort ? { mistral: sent } : {};
    case 'anthropic':
      if (!effort) return {};
      return { anthropic: isOff ? { thinking: { type: 'disabled' } } : { thinking: { type: 'adaptive' }, effort } };
    case 'bedrock': {
      const on = { type: 'adaptive', maxReasoningEffort: effort ?? null };
      return effort ? { bedrock: { reasoningConfig: isOff ? { type: 'disabled' } : on } } : {};
    }
    default:
      if (!effort) return {};
      return { google: { thinkingConfig: isOff ? { thinkingBudget: 0 } : { thinkingLevel: effort } } };
  }
}
