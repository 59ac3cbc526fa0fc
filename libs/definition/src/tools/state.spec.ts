import type { JsonObject } from '@app/kernel';
import { compareDefinitions } from '../diff/compare-definitions.js';
import { parseDefinition } from '../index.js';
import { LIMITS } from '../testing/limits.js';

const parse = (definition: JsonObject) => parseDefinition(JSON.stringify({ name: 'x', ...definition }), 'json', LIMITS);
const compiled = (definition: JsonObject) => {
  const parsed = parse(definition);
  if (!parsed.ok) throw new Error(parsed.detail);
  return parsed.compiled;
};
const errorsIn = (definition: JsonObject) => {
  const parsed = parse(definition);
  return parsed.ok ? [] : parsed.errors.map(({ pointer, suggestion }) => [pointer, suggestion]);
};
const step = (tool: string, request: JsonObject = {}): JsonObject => ({ id: 'a', tool, with: request });
const end: JsonObject = { id: 'end', output: 1 };
const SHARED: JsonObject = { name: 'shared', type: 'state', scope: 'workspace' };

describe('the tool state', () => {
  it('is part of every definition that names it, and of no other', () => {
    expect([...compiled({ steps: [end] }).tools.keys()]).toEqual(['notify']);
    const { tools, operations } = compiled({ steps: [step('state.get', { key: 'k' })] });
    expect(tools.get('state')).toMatchObject({ kind: 'state', scope: 'agent', isBuiltIn: true });
    const described = [...operations.values()].filter(({ tool }) => tool === 'state');
    expect(described.map(({ name, scope, effect }) => [name, scope, effect])).toEqual([
      ['get', 'read', 'read'],
      ['put', 'write', 'idempotent'],
      ['delete', 'write', 'idempotent'],
      ['list', 'read', 'read'],
      ['increment', 'write', 'idempotent'],
    ]);
  });

  it.each<[string, JsonObject]>([
    ['a policy', { policies: [{ name: 'p', when: 'tool.name == "state.put"', action: 'deny' }] }],
    [
      'a case of the evaluation',
      { evaluation: { cases: [{ name: 'c', input: {}, assert: [{ type: 'not_tool_called', value: 'state.put' }] }] } },
    ],
  ])('can be named by %s although no step calls it', (_, more) => {
    expect(compiled({ steps: [end], ...more }).tools.has('state')).toBe(true);
  });

  it('is replaced by a declared tool of its name', () => {
    const http = {
      name: 'state',
      type: 'http',
      base_url: 'https://state.example',
      operations: [{ name: 'get', method: 'GET', path: '/state' }],
    };
    expect(compiled({ tools: [http], steps: [step('state.get')] }).tools.get('state')).toMatchObject({ kind: 'http' });
    const own = { name: 'state', type: 'state' };
    const { tools } = compiled({ tools: [own], steps: [step('state.get', { key: 'k' })] });
    expect(tools.get('state')).toMatchObject({ scope: 'agent', isBuiltIn: false });
  });

  it.each<[string, JsonObject, unknown[]]>([
    ['an unknown operation', step('state.gett', { key: 'k' }), [['/steps/0/tool', 'Did you mean `state.get`?']]],
    ['a missing key', step('state.put', { value: 1 }), [['/steps/0/with', 'Add `key` to `with`.']]],
    [
      'an unknown argument',
      step('state.put', { key: 'k', value: 1, tll: '1d' }),
      [['/steps/0/with/tll', 'Did you mean `ttl`?']],
    ],
  ])('reports %s', (_, wrong, errors) => {
    expect(errorsIn({ steps: [wrong] })).toEqual(errors);
  });

  it('may declare the state of the workspace, and no other scope', () => {
    const { tools } = compiled({ tools: [SHARED], steps: [step('shared.list')] });
    expect(tools.get('shared')).toMatchObject({ kind: 'state', scope: 'workspace', isBuiltIn: false });
    expect(errorsIn({ tools: [{ ...SHARED, scope: 'team' }], steps: [step('shared.list')] })[0]?.[0]).toBe(
      '/tools/0/scope',
    );
  });

  it('reports values with which no state can begin', () => {
    const state = { ['k'.repeat(257)]: 1, '': 1, large: 'x'.repeat(65_536), fits: 'x'.repeat(65_534) };
    const cases = [{ name: 'c', input: {}, state, assert: [{ type: 'status', value: 'succeeded' }] }];
    const errors = errorsIn({ steps: [end], evaluation: { cases } });
    expect(errors.map(([pointer]) => String(pointer).slice(0, 30))).toEqual([
      '/evaluation/cases/0/state/kkkk',
      '/evaluation/cases/0/state/',
      '/evaluation/cases/0/state/larg',
    ]);
  });
});

describe('a change of the state that an agent keeps', () => {
  const changes = (before: JsonObject, after: JsonObject) =>
    compareDefinitions({ name: 'x', ...before }, { name: 'x', ...after }).capabilityChanges.map(
      ({ severity, kind, pointer }) => `${severity} ${kind} ${pointer}`,
    );
  const own = { steps: [step('state.put', { key: 'k', value: 1 })] };
  const byModel = { model: 'a/b', steps: [{ id: 'm', agent: { instructions: 'x', tools: ['state'] } }] };
  const shared = { tools: [SHARED], steps: [step('shared.get', { key: 'k' })] };
  const none = { steps: [end] };

  it.each<[string, JsonObject, JsonObject, string[]]>([
    ['gains its own state', none, own, ['info state_gained /steps']],
    ['loses its own state', own, none, ['info state_lost /steps']],
    ['gains the state of the workspace', none, shared, ['warning state_gained /tools/0']],
    ['loses the state of the workspace', shared, none, ['info state_lost /tools/0']],
    [
      'shares what was its own',
      { ...shared, tools: [{ ...SHARED, scope: 'agent' }] },
      shared,
      ['warning state_changed /tools/0'],
    ],
    ['keeps its state', own, { steps: [step('state.get', { key: 'other' })] }, []],
    [
      'names the state in a policy only',
      none,
      { ...none, policies: [{ name: 'p', when: 'tool.name == "state.put"', action: 'deny' }] },
      ['info policy_gained /policies/0'],
    ],
  ])('is reported when it %s', (_, before, after, expected) => {
    expect(changes(before, after)).toEqual(expected);
  });

  it('is reported when a model may use the state', () => {
    const without = { ...byModel, steps: [{ id: 'm', agent: { instructions: 'x' } }] };
    expect(changes(without, byModel)).toContain('info state_gained /steps');
  });
});
