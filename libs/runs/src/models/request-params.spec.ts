import { type ModelFacts, type ModelProvider, UNKNOWN_MODEL } from '@app/platform/models';
import { paramNamed, requestParams } from './request-params.js';
import { aModelProvider } from '../../../platform/src/models/testing/model-provider.js';

const profile = (type: ModelProvider['type'], facts?: Partial<ModelFacts>): ModelProvider =>
  aModelProvider({
    type,
    api: type === 'openai' ? 'responses' : null,
    models: new Map(facts ? [['m', { ...UNKNOWN_MODEL, ...facts }]] : []),
  });

describe('the parameters of a request', () => {
  it.each([
    ['openai', 'minimal', 'minimal', { openai: { reasoningEffort: 'minimal' } }, 0],
    ['openai-compatible', 'xhigh', 'xhigh', { theirs: { reasoningEffort: 'xhigh' } }, 0],
    ['anthropic', 'none', 'none', { anthropic: { thinking: { type: 'disabled' } } }, 0],
    ['anthropic', 'minimal', 'low', { anthropic: { thinking: { type: 'adaptive' }, effort: 'low' } }, 1],
    ['anthropic', 'max', 'max', { anthropic: { thinking: { type: 'adaptive' }, effort: 'max' } }, 0],
    ['google', 'none', 'none', { google: { thinkingConfig: { thinkingBudget: 0 } } }, 0],
    ['google', 'xhigh', 'high', { google: { thinkingConfig: { thinkingLevel: 'high' } } }, 1],
    ['vertex', 'minimal', 'low', { google: { thinkingConfig: { thinkingLevel: 'low' } } }, 1],
    ['mistral', 'low', 'high', { mistral: { reasoningEffort: 'high' } }, 1],
    ['bedrock', 'low', undefined, {}, 1],
  ] as const)('of the type %s map the effort %s to %s', (type, effort, sent, options, warnings) => {
    const found = requestParams(profile(type), 'm', { effort });
    expect(found).toMatchObject({ effort: sent, options });
    expect(found.warnings).toHaveLength(warnings);
    expect(requestParams(profile(type), 'm', {})).toEqual({ params: {}, options: {}, effort: undefined, warnings: [] });
  });

  it.each([
    ['max', ['low', 'high'], 'high'],
    ['none', ['low', 'high'], 'low'],
    ['medium', ['low', 'high'], 'low'],
    ['low', [], undefined],
  ] as const)('use the nearest level that the model has: %s of %j is %s', (effort, levels, sent) => {
    const found = requestParams(profile('openai', { effort: levels }), 'm', { effort });
    expect(found.effort).toBe(sent);
    expect(found.warnings).toMatchObject([{ param: 'effort' }]);
  });

  it('lack what the model refuses, with a warning if the definition sets it', () => {
    const facts = { refuses: ['temperature', 'top_p', 'seed'] } as const;
    const found = requestParams(profile('openai', facts), 'm', { temperature: 0, topP: 1, maxOutputTokens: 5 });
    expect(found.params).toEqual({ maxOutputTokens: 5 });
    expect(found.warnings.map(({ param }) => param)).toEqual(['temperature', 'top_p']);
  });

  it.each<[ModelProvider['type'], string, Partial<ModelFacts> | undefined, object, string | undefined]>([
    ['anthropic', 'm', undefined, { anthropic: { thinking: { type: 'disabled' } } }, 'none'],
    ['anthropic', 'm', { effort: ['low', 'high'] }, {}, undefined],
    ['bedrock', 'eu.anthropic.claude', undefined, { bedrock: { reasoningConfig: { type: 'disabled' } } }, 'none'],
    ['openai', 'm', undefined, { openai: { reasoningEffort: 'high' } }, 'high'],
  ])('ask only Claude not to think: %s, %s', (type, name, facts, options, effort) => {
    const found = requestParams(profile(type, facts), name, { effort: 'high', seed: 1 }, false);
    expect(found).toMatchObject({ options, effort, params: { seed: 1 } });
    expect(Object.keys(found.options)).toEqual(type === 'openai' ? ['openai', 'azure'] : Object.keys(options));
    expect(found.warnings.map(({ param }) => param)).toEqual(type === 'openai' ? [] : ['reasoning']);
  });

  it('are known by the names of providers and of the library', () => {
    expect(paramNamed({ maxOutputTokens: 5 }, 'max_completion_tokens')).toBe('max_output_tokens');
    expect(paramNamed({ topP: 1 }, 'topP')).toBe('top_p');
    expect(paramNamed({ effort: 'low' }, 'reasoning.effort')).toBe('effort');
    expect(paramNamed({}, 'temperature')).toBeUndefined();
  });
});
