import { compileDefinition } from '@app/definition';
import type { RunMode } from './run-status.js';
import { reusableBy } from './first-step.js';

const operations = [{ name: 'get', method: 'GET', path: '/x' }];
const call = (id: string) => ({ id, tool: 'shop.get' });
const rounds = { id: 'rounds', for_each: '${{ [1] }}', steps: [call('inner')] };
const definition = compileDefinition({
  name: 'test',
  tools: [{ name: 'shop', type: 'http', base_url: 'https://shop.example', operations }],
  steps: [call('a'), { id: 'both', parallel: [{ steps: [call('left')] }, { steps: [rounds] }] }, call('z')],
});

describe('the recorded results that a replay may use', () => {
  const used = (mode: RunMode, from: { n: number; path: string } | null, records: [string, string][]): string[] => {
    const trigger = { type: 'replay', from_step: from?.n ?? null, from_path: from?.path ?? null };
    const keep = reusableBy({ mode, trigger }, definition);
    return records
      .filter(([path, state], index) => keep({ id: `run_1.${index + 2}`, path, state }))
      .map(([path]) => path);
  };
  const ALL: [string, string][] = [
    ['a', 'failed'],
    ['left', 'succeeded'],
    ['rounds[0].inner', 'succeeded'],
    ['z', 'failed'],
    ['zz', 'simulated'],
  ];

  it('are all results in mode test, and results of success in production', () => {
    expect(used('test', null, ALL)).toEqual(['a', 'left', 'rounds[0].inner', 'z', 'zz']);
    expect(used('production', null, ALL)).toEqual(['left', 'rounds[0].inner']);
  });

  it('do not include the first step, nor failures after it', () => {
    expect(used('test', { n: 3, path: 'left' }, ALL)).toEqual(['a', 'rounds[0].inner', 'zz']);
    expect(used('test', { n: 5, path: 'z' }, ALL)).toEqual(['a', 'left', 'rounds[0].inner', 'zz']);
  });

  it('do not include the steps inside a block', () => {
    expect(used('test', { n: 3, path: 'both' }, ALL)).toEqual(['a', 'zz']);
    expect(used('test', { n: 4, path: 'rounds' }, ALL)).toEqual(['a', 'left', 'zz']);
  });

  it('include the calls of a turn of a model, which a later turn may request again', () => {
    const turns: [string, string][] = [
      ['ask.turn[1]', 'succeeded'],
      ['ask.turn[1].call[1]', 'succeeded'],
    ];
    expect(used('test', { n: 2, path: 'ask.turn[1]' }, turns)).toEqual(['ask.turn[1].call[1]']);
    expect(used('test', { n: 2, path: 'ask' }, turns)).toEqual([]);
  });
});
