import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { stringify } from 'yaml';
import { compareDefinitions, parseDefinition } from '../index.js';
import { LIMITS } from '../testing/limits.js';

const INPUT: JsonObject = {
  type: 'object',
  required: ['order_id', 'amount', 'channel'],
  properties: {
    order_id: { type: 'string' },
    amount: { type: 'number', minimum: 0 },
    channel: { type: 'string', default: 'web' },
    note: { type: 'string' },
  },
};
const BASE: JsonObject = {
  name: 'refund-desk',
  description: 'Refunds an order.',
  input: INPUT,
  steps: [{ id: 'result', output: {} }],
};

/** Members that replace those of `BASE`; undefined removes one. */
type More = Record<string, JsonValue | undefined>;

const parse = (mcp: JsonObject, more: More = {}) =>
  parseDefinition(stringify({ ...BASE, ...more, expose: { mcp } }), 'yaml', LIMITS);

function exposed(mcp: JsonObject, more: More = {}) {
  const parsed = parse(mcp, more);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.errors));
  return parsed.compiled.mcp;
}

function mistakes(mcp: JsonObject, more: More = {}): string[] {
  const parsed = parse(mcp, more);
  return parsed.ok ? [] : parsed.errors.map(({ pointer }) => pointer);
}

describe('an agent that is a tool for assistants', () => {
  it('has defaults for everything', () => {
    expect(exposed({})).toMatchObject({
      tool: 'refund_desk',
      description: 'Refunds an order.',
      given: ['order_id', 'amount', 'channel', 'note'],
      waitMs: 20_000,
    });
  });

  it('publishes the members that callers may give', () => {
    expect(exposed({ input: ['order_id', 'amount', 'channel'], fixed: { note: 'x' } })?.inputSchema).toEqual({
      type: 'object',
      required: ['order_id', 'amount'],
      properties: {
        order_id: { type: 'string' },
        amount: { type: 'number', minimum: 0 },
        channel: { type: 'string', default: 'web' },
      },
      additionalProperties: false,
    });
    expect(exposed({ fixed: { channel: 'mcp' } })?.given).toEqual(['order_id', 'amount', 'note']);
    expect(exposed({}, { input: undefined })?.inputSchema).toEqual({ type: 'object' });
  });

  it('leaves out rules that combine members only if members are withheld', () => {
    const input = { ...INPUT, anyOf: [{ required: ['order_id'] }], not: { required: ['note', 'amount'] } };
    expect(exposed({}, { input })?.inputSchema).toHaveProperty('anyOf');
    const withheld = exposed({ fixed: { note: 'x' } }, { input })?.inputSchema;
    expect(isJsonObject(withheld) && Object.keys(withheld).sort()).toEqual([
      'additionalProperties',
      'properties',
      'required',
      'type',
    ]);
  });

  it('fixes members with templates that see the caller', () => {
    const templates = { note: '${{ caller.member }}', channel: '${{ caller.client }}' };
    const fixed = exposed({ fixed: templates })?.fixed;
    const values = { caller: { member: 'ada@example.com', client: null } };
    expect(fixed?.get('note')?.evaluate(values)).toBe('ada@example.com');
    expect(fixed?.get('channel')?.evaluate(values)).toBeNull();
  });

  it.each<[string, JsonObject, string[], More?]>([
    ['a tool that is no name', { tool: 'Issue-refund' }, ['/expose/mcp/tool']],
    ['a tool of the service', { tool: 'get_run' }, ['/expose/mcp/tool']],
    ['an agent named as a tool of the service', {}, ['/expose/mcp'], { name: 'cancel-run' }],
    ['an agent whose name begins with a digit', {}, ['/expose/mcp'], { name: '3d-print' }],
    ['no description', {}, ['/expose/mcp'], { description: undefined }],
    ['a long description', { description: 'a'.repeat(1_025) }, ['/expose/mcp/description']],
    ['an unknown member', { input: ['order_id', 'amount', 'nope'] }, ['/expose/mcp/input/2']],
    ['an unknown fixed member', { fixed: { nope: 1 } }, ['/expose/mcp/fixed/nope']],
    [
      'a member that is given and fixed',
      { input: ['order_id', 'amount'], fixed: { amount: 1 } },
      ['/expose/mcp/input/1'],
    ],
    ['a required member that nobody gives', { input: ['order_id'] }, ['/expose/mcp/input']],
    ['a member without an input schema', { input: ['a'] }, ['/expose/mcp/input/0'], { input: undefined }],
    ['a long wait', { wait: '51s' }, ['/expose/mcp/wait']],
    ['a template that sees the input', { fixed: { note: '${{ input.order_id }}' } }, ['/expose/mcp/fixed/note']],
    ['an unknown member of the caller', { fixed: { note: '${{ caller.key }}' } }, ['/expose/mcp/fixed/note']],
    ['an unknown key', { timeout: '5s' }, ['/expose/mcp/timeout']],
  ])('has no %s', (_, mcp, pointers, more = {}) => {
    expect(mistakes(mcp, more)).toEqual(pointers);
  });

  it('is a capability', () => {
    const kinds = (before: JsonObject, after: JsonObject) =>
      compareDefinitions(before, after).capabilityChanges.map(({ kind, severity, pointer }) => [
        kind,
        severity,
        pointer,
      ]);
    const plain = { ...BASE, expose: { mcp: {} } };
    expect(kinds(BASE, plain)).toEqual([['exposure_mcp_gained', 'critical', '/expose/mcp']]);
    expect(kinds(plain, BASE)).toEqual([['exposure_mcp_lost', 'info', '/expose/mcp']]);
    expect(kinds(plain, { ...BASE, expose: { mcp: { wait: '1s' } } })).toEqual([
      ['exposure_mcp_changed', 'warning', '/expose/mcp'],
    ]);
  });
});
