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

  it('reports that sessions are kept or no longer kept', () => {
    expect(changes({}, { session: 'run' })).toEqual([]);
    expect(changes({}, { session: 'agent' })).toEqual(['warning tool_target_changed /tools/0/session']);
    expect(changes({ session: 'agent' }, {})).toEqual(['info tool_target_changed /tools/0']);
  });
});
