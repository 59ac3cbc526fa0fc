import { parseDefinition } from '@app/definition';
import { UNKNOWN_MODEL } from '@app/platform/models';
import { LIMITS } from '../../../definition/src/testing/limits.js';
import { endingModels, modelWarnings } from './model-warnings.js';
import { aModelProvider } from '../../../platform/src/models/testing/model-provider.js';

const NOW = new Date('2026-10-03T00:00:00Z');
const PROVIDER = aModelProvider({
  name: 'x',
  models: new Map([
    ['strict', { ...UNKNOWN_MODEL, refuses: ['temperature', 'max_output_tokens'] }],
    ['thinking', { ...UNKNOWN_MODEL, effort: ['low', 'high'] }],
    ['plain', { ...UNKNOWN_MODEL, effort: [] }],
    ['soon', { ...UNKNOWN_MODEL, endsAt: '2026-12-31' }],
    ['later', { ...UNKNOWN_MODEL, endsAt: '2027-01-01' }],
    ['gone', { ...UNKNOWN_MODEL, endsAt: '2026-10-03' }],
  ]),
});
const PROVIDERS = new Map([['x', PROVIDER]]);

const read = (model: string) => {
  const parsed = parseDefinition(`name: a\nmodel: ${model}\ninstructions: hi\n`, 'yaml', LIMITS);
  if (!parsed.ok) throw new Error(parsed.detail);
  return parsed;
};
const warningsOf = (model: string) => {
  const { compiled, models } = read(model);
  return modelWarnings(PROVIDERS, models, compiled.model?.params, NOW);
};

describe('the warnings about models', () => {
  it('name the parameters that the model refuses', () => {
    const params = 'params: { temperature: 0, top_p: 1, max_output_tokens: 5 }';
    expect(warningsOf(`{ provider: x, name: strict, ${params} }`)).toEqual([
      expect.objectContaining({ pointer: '/model/params/temperature', line: 2 }),
      expect.objectContaining({ pointer: '/model/params/max_output_tokens', line: 2 }),
    ]);
    expect(warningsOf('{ provider: x, name: strict, params: { top_p: 1 } }')).toEqual([]);
    expect(warningsOf(`{ provider: x, name: unknown, ${params} }`)).toEqual([]);
  });

  it.each([
    ['thinking', 'max', 'low, high'],
    ['plain', 'low', 'Remove'],
  ])('name an effort that the model lacks: %s, %s', (name, effort, suggestion) => {
    expect(warningsOf(`{ provider: x, name: ${name}, params: { effort: ${effort} } }`)).toEqual([
      expect.objectContaining({
        pointer: '/model/params/effort',
        line: 2,
        suggestion: expect.stringContaining(suggestion),
      }),
    ]);
  });

  it.each(['thinking', 'strict', 'unknown'])('accept an effort that the model may have: %s', (name) => {
    expect(warningsOf(`{ provider: x, name: ${name}, params: { effort: low } }`)).toEqual([]);
  });

  it.each([
    ['soon', 1],
    ['gone', 1],
    ['later', 0],
    ['strict', 0],
  ])('name a model that has ended or ends in less than 90 days: %s', (name, count) => {
    const found = warningsOf(`{ provider: x, name: ${name} }`);
    expect(found.map(({ pointer }) => pointer)).toEqual(Array.from({ length: count }, () => '/model/name'));
    expect(warningsOf(`x/${name}`).map(({ pointer }) => pointer)).toEqual(found.map(({ pointer }) => pointer));
  });

  it('judge a fallback at its own place', () => {
    const model = '{ provider: x, name: later, params: { temperature: 0 }, fallback: [x/soon, x/strict] }';
    expect(warningsOf(model).map(({ pointer }) => pointer)).toEqual(['/model/fallback/0', '/model/fallback/1']);
    expect(endingModels(PROVIDERS, read(model).compiled, NOW).map(({ pointer }) => pointer)).toEqual([
      '/model/fallback/0',
    ]);
    expect(endingModels(PROVIDERS, read('x/gone').compiled, NOW)).toEqual([
      expect.objectContaining({ pointer: '/model/name', detail: expect.stringContaining('2026-10-03') }),
    ]);
  });
});
