import type { JsonObject } from '@app/kernel';
import { runConformance } from '../support/conformance.js';
import { aGroup } from '../support/people.js';
import { Scene } from '../support/scene.js';

const TEXT = { type: 'string' };
const CONFIRMATION = { type: 'object', properties: { confirm: { type: 'boolean' } } };
const RESULT = { id: 'result', output: {} };
const FAILURE = { id: 'stop', fail: { message: 'An error.' } };
const AT_ONCE = { expose: { mcp: { wait: '0s' } } };

/** The tools that the suite calls, as far as agents can be these tools. */
const AGENTS: Readonly<Record<string, JsonObject>> = {
  test_simple_text: { steps: [RESULT] },
  test_error_handling: { steps: [FAILURE] },
  greet: {
    input: { type: 'object', properties: { name: TEXT } },
    steps: [{ id: 'result', output: { greeting: 'Hello, ${{ input.name }}!' } }],
  },
  slow_compute: {
    ...AT_ONCE,
    input: { type: 'object', properties: { seconds: { type: 'integer' }, label: TEXT } },
    steps: [{ id: 'compute', wait: { for: '${{ input.seconds }}s' } }, RESULT],
  },
  failing_job: { ...AT_ONCE, steps: [{ id: 'compute', wait: { for: '1s' } }, FAILURE] },
  confirm_delete: {
    ...AT_ONCE,
    input: { type: 'object', properties: { filename: TEXT } },
    steps: [{ id: 'confirm', ask: { to: ['owners'], title: 'Delete the file?', form: CONFIRMATION } }, RESULT],
  },
  json_schema_2020_12_tool: {
    input: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { type: 'object', properties: { street: TEXT, city: TEXT } } },
      properties: {
        name: TEXT,
        address: { $ref: '#/$defs/address' },
        contactMethod: { ...TEXT, enum: ['phone', 'email'] },
        phone: TEXT,
        email: TEXT,
      },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
    steps: [RESULT],
  },
};

/** What the server does not do on purpose. Each key begins the names of scenarios, or names a check of one. */
const NOT_OFFERED = {
  'completion-complete': 'has no texts to complete',
  'prompts-': 'has no prompts',
  'resources-templates-read': 'has no templates of resources',
  'resources-read-': 'has no resource with the address of the suite',
  'resources-subscribe': 'its resources do not change',
  'resources-unsubscribe': 'its resources do not change',
  'caching:sep-2549-prompts-list-caching-hints': 'has no prompts',
  'caching:sep-2549-resources-templates-list-caching-hints': 'has no templates of resources',
  'logging-set-level': 'sends no log messages',
  'tools-call-image': 'answers with texts',
  'tools-call-audio': 'answers with texts',
  'tools-call-embedded-resource': 'answers with texts',
  'tools-call-mixed-content': 'answers with texts',
  'tools-call-with-': 'sends no notifications',
  'tools-call-sampling': 'asks clients for no model',
  'tools-call-elicitation': 'asks no client of the era of `initialize`, because it keeps no session',
  'elicitation-sep': 'asks no client of the era of `initialize`, because it keeps no session',
  'input-required-result-':
    'a tool of the suite is no agent: it asks for a model, for roots, or several questions at once',
  'server-stateless:sep-2575-server-rejects-undeclared-capability': 'no tool needs a capability',
  'server-stateless:sep-2575-missing-capability-http-400': 'no tool needs a capability',
  'server-stateless:sep-2575-http-server-no-independent-requests-on-stream': 'opens no stream',
  'server-stateless:sep-2575-server-no-log-without-loglevel': 'sends no log messages',
  'server-stateless:sep-2575-server-sends-subscription-ack': 'sends no notifications',
  'server-stateless:sep-2575-server-tags-subscription-id': 'sends no notifications',
  'http-custom-header-server-validation': 'no tool takes arguments from headers',
  'dns-rebinding-protection:localhost-host-rebinding-rejected':
    'its own host is an own origin; a page of another site has no API key, and cookies are ignored',
} as const;

const AT_WORK = {
  ...NOT_OFFERED,
  'resources-list': 'has no resources at this address',
  'caching:sep-2549-resources-list-caching-hints': 'has no resources at this address',
  'tasks-lifecycle:sep-2663-tasks-get-status-failed': 'no tool of an agent ends in a fault of the protocol',
  'tasks-mrtr-input:tasks-mrtr-partial-fulfillment': 'a run asks one question at a time',
  'tasks-request-headers:tasks-headers-tolerate-mcp-method-on-tools-call': 'the text is the run, not that of the suite',
  'json-schema-2020-12:sep-2106-anchor-keyword-preserved': 'definitions have references without anchors',
  'tasks-required-task-error': 'no tool requires tasks',
  'tasks-mrtr-composition': 'a run is stored before its first question, so its task exists from the start',
} as const;

const FOR_AUTHORS = {
  ...NOT_OFFERED,
  'tools-call-': 'its tools are not those of the suite',
  'json-schema-2020-12': 'its tools are not those of the suite',
  'tasks-': 'has no tasks at this address',
} as const;

const SKILLS = ['sep-2640-skills-directory', 'sep-2640-skills-enumeration', 'sep-2640-skills-manifest'];

/** Runs all scenarios of the official conformance suite that a revision requires, and those of the extensions. */
describe('the MCP server and the official conformance suite', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start();
    const { client } = scene.stack;
    const { member } = await client.expect<{ member: string }>('GET', '/v1/me');
    await aGroup(scene.stack, 'owners', [member]);
    for (const [tool, more] of Object.entries(AGENTS)) {
      const name = tool.replaceAll('_', '-');
      await client.createAgent({ name, description: 'A tool of the suite.', expose: { mcp: {} }, ...more });
    }
  });
  afterAll(() => scene.stop());

  const run = (path: string, ...selection: string[]) =>
    runConformance({ baseUrl: scene.stack.baseUrl, key: scene.stack.adminKey }, path, selection);

  it.each([
    ['2026-07-28', '/v1/mcp', AT_WORK, 100],
    ['2026-07-28', '/v1/mcp/author', FOR_AUTHORS, 60],
    ['2025-11-25', '/v1/mcp', AT_WORK, 30],
    ['2025-11-25', '/v1/mcp/author', FOR_AUTHORS, 30],
  ] as const)('agree about %s at %s', async (revision, path, exceptions, atLeast) => {
    const { passed, failed } = await run(path, '--requirements', revision);
    const isExpected = (check: string) => Object.keys(exceptions).some((name) => check.startsWith(name));
    expect(failed.filter((check) => !isExpected(check))).toEqual([]);
    expect(passed.length).toBeGreaterThan(atLeast);
  });

  it.each(SKILLS)('agree about %s', async (scenario) => {
    const { passed, failed } = await run('/v1/mcp/author', '--scenario', scenario);
    expect([failed, passed.length > 0]).toEqual([[], true]);
  });
});
