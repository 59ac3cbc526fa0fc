import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { TOOL_TYPES, type ToolType } from '../model/compiled-tool.js';
import { TOOLS } from '../tools/registry.js';
import { compareDefinitions } from './compare-definitions.js';

/**
 * Fields that are compared in detail, because a change can widen or narrow what the tool may reach. Other tests cover
 * these fields.
 */
const COMPARED = ['allowed_hosts', 'allowed_recipients', 'session'];
/**
 * Fields that do not determine the target of a tool's calls: the name, descriptions for models, and fields of the
 * operations.
 */
const NO_TARGET = [
  'name',
  'type',
  'description',
  'operations',
  'include',
  'overrides',
  'scope',
  'simulate',
  ...COMPARED,
];

const connected = { auth: { type: 'bearer', token: 'a' }, headers: { 'x-team': 'a' } };

const OPENAPI = { url: 'https://a.example/openapi.json', sha256: 'a'.repeat(64) };

/** A tool of each type, with every field that determines the target of its calls. */
const SAMPLES: Readonly<Record<ToolType, JsonObject>> = {
  http: { base_url: 'https://a.example', operations: [{ name: 'get', method: 'GET', path: '/' }], ...connected },
  openapi: {
    spec: OPENAPI,
    base_url: 'https://a.example',
    include: ['get'],
    ...connected,
  },
  mcp: {
    transport: 'streamable_http',
    url: 'https://a.example',
    command: 'server',
    args: ['--first'],
    include: ['get'],
    ...connected,
  },
  agent: { agent: 'billing' },
  email: { to: ['a@example.com'] },
  postgres: { dsn: '${{ secrets.DSN }}', operations: [{ name: 'get', sql: 'select 1' }] },
  mysql: { dsn: '${{ secrets.DSN }}', operations: [{ name: 'get', sql: 'select 1' }] },
  state: { scope: 'workspace' },
  files: {},
};

/** For each field, a value that differs from the value in SAMPLES. */
const OTHERS: Readonly<Record<string, JsonValue>> = {
  base_url: 'https://b.example',
  url: 'https://b.example',
  spec: { url: 'https://a.example/openapi.json', sha256: 'b'.repeat(64) },
  transport: 'stdio',
  command: 'another-server',
  args: ['--second'],
  auth: { type: 'bearer', token: 'b' },
  headers: { 'x-team': 'b' },
  agent: 'payments',
  to: ['b@example.com'],
  // The same secret in another spelling. A different secret would also be reported as a changed secret.
  dsn: '${{secrets.DSN}}',
};

const withTool = (type: ToolType, members: JsonObject): JsonObject => ({
  name: 'x',
  tools: [{ name: 't', type, ...members }],
  steps: [{ id: 'end', output: 1 }],
});

describe('the target of a tool', () => {
  it.each(TOOL_TYPES)('has every member of the type %s that decides where calls go', (type) => {
    const { properties } = TOOLS[type].schema;
    const written = isJsonObject(properties) ? Object.keys(properties) : [];
    expect(written.filter((member) => !NO_TARGET.includes(member)).sort()).toEqual([...TOOLS[type].target].sort());
    expect(Object.keys(SAMPLES[type])).toEqual(expect.arrayContaining([...TOOLS[type].target]));
  });

  it.each(TOOL_TYPES.flatMap((type) => TOOLS[type].target.map((member) => [type, member] as const)))(
    'is critical if %s changes its `%s`',
    (type, member) => {
      const before = SAMPLES[type];
      const after = { ...before, [member]: OTHERS[member] ?? null };
      const { capabilityChanges } = compareDefinitions(withTool(type, before), withTool(type, after));
      expect(capabilityChanges).toEqual([
        {
          kind: 'tool_target_changed',
          severity: 'critical',
          message: TOOLS[type].describe('t', member),
          pointer: `/tools/0/${member}`,
          before: before[member],
          after: OTHERS[member],
        },
      ]);
    },
  );

  it('includes the further documents of an OpenAPI document', () => {
    const pinned = (digit: string) => ({ url: 'https://a.example/pets.yaml', sha256: digit.repeat(64) });
    const of = (digit: string) => ({ ...SAMPLES.openapi, spec: { ...OPENAPI, documents: [pinned(digit)] } });
    const { capabilityChanges } = compareDefinitions(withTool('openapi', of('a')), withTool('openapi', of('b')));
    expect(capabilityChanges).toMatchObject([{ severity: 'critical', pointer: '/tools/0/spec' }]);
  });

  it('does not include descriptions for models', () => {
    const described = { ...SAMPLES.agent, description: 'Bills.' };
    expect(
      compareDefinitions(withTool('agent', SAMPLES.agent), withTool('agent', described)).capabilityChanges,
    ).toEqual([]);
  });
});
