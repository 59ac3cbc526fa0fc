import { readDefinition, withCase } from './definition-text.js';

const RUN = { id: 'run_1', status: 'succeeded', input: { order: '7' }, output: { done: true } };
const CASE = {
  name: 'as in run_1',
  input: { order: '7' },
  assert: [
    { type: 'status', value: 'succeeded' },
    { type: 'equals', value: { done: true } },
  ],
};

describe('reading a definition', () => {
  it('gives the values of YAML and of JSON', () => {
    expect(readDefinition('name: x # why\n')).toEqual({ name: 'x' });
    expect(readDefinition('{"name": "x"}')).toEqual({ name: 'x' });
  });

  it('gives nothing for what is no YAML, or for a text that grows by aliases', () => {
    expect(readDefinition('name: [')).toBeUndefined();
    expect(readDefinition('a: &a [1]\nb: *a\n')).toBeUndefined();
  });
});

describe('a case made of a run', () => {
  it('is the evaluation of a text that has none, whose comments stay', () => {
    const text = withCase('name: x # why', RUN);
    expect(text.startsWith('name: x # why\n\nevaluation:\n  cases:\n    - name: as in run_1\n')).toBe(true);
    expect(readDefinition(text)).toEqual({ name: 'x', evaluation: { cases: [CASE] } });
  });

  it('is added after the last case, at the same column', () => {
    const before = 'evaluation:\n  cases:\n  - name: a\n    input: {}\n    assert: []\n  # end\n  trials: 2\nname: x\n';
    const text = withCase(before, RUN);
    expect(text).toContain('    assert: []\n  - name: as in run_1\n');
    expect(text).toContain('  # end\n  trials: 2\nname: x\n');
    expect(readDefinition(text)).toMatchObject({ evaluation: { trials: 2, cases: [{ name: 'a' }, CASE] } });
  });

  it('is added to an evaluation without cases', () => {
    const text = withCase('evaluation:\n  trials: 2\nname: x\n', RUN);
    expect(readDefinition(text)).toEqual({ name: 'x', evaluation: { trials: 2, cases: [CASE] } });
  });

  it('is added to flow collections and to JSON', () => {
    expect(readDefinition(withCase('evaluation: { cases: [] }\n', RUN))).toEqual({ evaluation: { cases: [CASE] } });
    expect(readDefinition(withCase('{"name": "x"}', RUN))).toEqual({ name: 'x', evaluation: { cases: [CASE] } });
  });

  it('asserts only the status of a run without output', () => {
    const text = withCase('name: x\n', { ...RUN, status: 'failed', output: null });
    expect(readDefinition(text)).toMatchObject({
      evaluation: { cases: [{ assert: [{ type: 'status', value: 'failed' }] }] },
    });
  });

  it('leaves a text alone that is no YAML', () => {
    expect(withCase('name: [', RUN)).toBe('name: [');
  });
});
