import type { JsonObject } from '@app/kernel';
import { compareDefinitions } from '../diff/compare-definitions.js';
import { compileDefinition } from '../compile/compile-definition.js';
import { connectionsOf } from '../model/compiled-definition.js';
import { parseDefinition } from '../parse-definition.js';
import { LIMITS } from '../testing/limits.js';

const http = (name: string, auth?: JsonObject): JsonObject => ({
  name,
  type: 'http',
  base_url: 'https://crm.example',
  ...(auth && { auth }),
  operations: [{ name: 'get', method: 'GET', path: '/' }],
});
const agent = (...tools: JsonObject[]): JsonObject => ({ name: 'a', tools, steps: [{ id: 's', output: 1 }] });
const oauth2 = (connection: string): JsonObject => ({ type: 'oauth2', connection });

describe('a tool with a connection', () => {
  const parse = (definition: JsonObject) => parseDefinition(JSON.stringify(definition), 'json', LIMITS);

  it('names it, and the definition lists each connection once', () => {
    const definition = agent(http('one', oauth2('crm')), http('two', oauth2('crm')), http('three', oauth2('mail')));
    expect(connectionsOf(compileDefinition(definition))).toEqual(['crm', 'mail']);
    const parsed = parse(definition);
    expect(parsed.ok && parsed.connections.map(({ connection, place }) => [connection, place().pointer])).toEqual([
      ['crm', '/tools/0/auth/connection'],
      ['crm', '/tools/1/auth/connection'],
      ['mail', '/tools/2/auth/connection'],
    ]);
  });

  it.each([
    [http('crm', oauth2('${{ input.x }}')), '/tools/0/auth/connection'],
    [http('crm', { type: 'oauth2' }), '/tools/0/auth'],
    [
      {
        name: 'm',
        type: 'mcp',
        transport: 'streamable_http',
        url: 'https://mcp.example',
        include: ['x'],
        auth: oauth2('crm'),
      },
      '/tools/0/auth/type',
    ],
  ])('is refused with the place of the mistake: %#', (tool, pointer) => {
    const parsed = parse(agent(tool));
    expect(parsed.ok ? [] : parsed.errors.map((error) => error.pointer)).toContain(pointer);
  });

  it('is a change of capability if it is gained, lost or another one', () => {
    const changes = (one: JsonObject, other: JsonObject) =>
      compareDefinitions(agent(one), agent(other))
        .capabilityChanges.filter(({ kind }) => kind.startsWith('connection_'))
        .map(({ kind, severity, pointer, before: was, after: is }) => [kind, severity, pointer, was, is]);
    const [plain, crm, mail] = [http('t'), http('t', oauth2('crm')), http('t', oauth2('mail'))];
    expect(changes(plain, crm)).toEqual([['connection_gained', 'warning', '/tools/0/auth/connection', null, 'crm']]);
    expect(changes(crm, mail)).toEqual([['connection_changed', 'warning', '/tools/0/auth/connection', 'crm', 'mail']]);
    expect(changes(crm, plain)).toEqual([['connection_lost', 'info', '/tools/0', 'crm', null]]);
    expect(changes(crm, crm)).toEqual([]);
  });
});
