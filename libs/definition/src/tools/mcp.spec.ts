import type { JsonObject } from '@app/kernel';
import { compileDefinition } from '../compile/compile-definition.js';
import { compareDefinitions } from '../diff/compare-definitions.js';
import { parseDefinition } from '../parse-definition.js';
import { LIMITS } from '../testing/limits.js';

const definition = (settings: JsonObject): JsonObject => ({
  name: 'a',
  tools: [
    { name: 'm', type: 'mcp', transport: 'streamable_http', url: 'https://m.example', include: ['look'], ...settings },
  ],
  steps: [{ id: 'end', output: 1 }],
});

describe('an mcp tool', () => {
  const errors = (settings: JsonObject): string[] => {
    const parsed = parseDefinition(JSON.stringify(definition(settings)), 'json', LIMITS);
    return parsed.ok ? [] : parsed.errors.map(({ pointer }) => pointer);
  };
  const changes = (before: JsonObject, after: JsonObject): string[] =>
    compareDefinitions(definition(before), definition(after)).capabilityChanges.map(
      ({ severity, kind, pointer }) => `${severity} ${kind} ${pointer}`,
    );

  it('has a session for each run, unless the definition keeps it for the agent', () => {
    expect(compileDefinition(definition({})).tools.get('m')).toMatchObject({ session: 'run' });
    expect(compileDefinition(definition({ session: 'agent' })).tools.get('m')).toMatchObject({ session: 'agent' });
    expect(errors({ session: 'agent' })).toEqual([]);
    expect(errors({ session: 'workspace' })).toEqual(['/tools/0/session']);
  });

  it('calls a tool of the server by its own name, and refers to it by a name without `/`', () => {
    const include = ['files/read', { id: 'files/write', as: 'save' }];
    const overrides = { 'files/read': { scope: 'read' }, save: { timeout: '5s' } };
    expect(errors({ include, overrides })).toEqual([]);
    const tool = compileDefinition(definition({ include, overrides })).tools.get('m');
    expect(tool).toMatchObject({ include: ['files_read', 'save'], overrides: ['files_read', 'save'] });
    expect([...(tool?.operations.values() ?? [])]).toMatchObject([
      { fullName: 'm.files_read', id: 'files/read', scope: 'read' },
      { fullName: 'm.save', id: 'files/write', timeoutMs: 5_000 },
    ]);
    expect(errors({ include: ['files/read', 'files_read'] })).toEqual(['/tools/0/include/1']);
    expect(errors({ include: [{ id: 'files/read', as: 'not a name' }] })).toEqual(['/tools/0/include/0/as']);
    expect(errors({ include: [''] })).toEqual(['/tools/0/include/0']);
    expect(changes({ include: [{ id: 'a', as: 'x' }] }, { include: [{ id: 'b', as: 'x' }] })).toEqual([
      'critical tool_target_changed /tools/0',
    ]);
  });

  it('sends arguments as files in the form that `overrides` names', () => {
    const overrides = { look: { files: { document: 'base64', pages: 'url' } } };
    expect(errors({ overrides })).toEqual([]);
    expect(errors({ overrides: { look: { files: { document: 'stream' } } } })).toEqual([
      '/tools/0/overrides/look/files/document',
    ]);
    const text = { type: 'string', description: 'The scan.' };
    const request = { type: 'object', properties: { document: text, pages: { type: 'array', items: text }, q: text } };
    const operations = { look: { description: null, request, readsOnly: true, http: null } };
    const look = compileDefinition(definition({ overrides }), { m: { operations } }).operations.get('m.look');
    expect(look).toMatchObject({ fileArguments: overrides.look.files, serverRequest: request });
    expect(look?.request?.schema.properties).toEqual({
      document: { description: 'The scan.', file: {} },
      pages: { type: 'array', items: { file: {} } },
      q: text,
    });
  });

  it('reports that sessions are kept or no longer kept', () => {
    expect(changes({}, { session: 'run' })).toEqual([]);
    expect(changes({}, { session: 'agent' })).toEqual(['warning tool_target_changed /tools/0/session']);
    expect(changes({ session: 'agent' }, {})).toEqual(['info tool_target_changed /tools/0']);
  });
});
