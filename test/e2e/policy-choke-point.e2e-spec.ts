import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@app/kernel';
import { crmDocument } from '../fixtures/crm-openapi.js';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { Ledger } from '../support/ledger.js';
import { MailServer } from '../support/mail-server.js';
import { McpTestServer } from '../support/mcp-test-server.js';
import { aGroup, aPerson } from '../support/people.js';
import { Scene } from '../support/scene.js';
import { MCP_PROGRAMS } from '../support/shared-stack.js';

const KINDS = ['http', 'openapi', 'mcp over http', 'mcp over stdio', 'email', 'agent'] as const;
type Kind = (typeof KINDS)[number];
const ACTIONS = ['allow', 'require_approval', 'deny', 'error'] as const;
const MODES = ['production', 'test'] as const;
const CASES = KINDS.flatMap((kind) => ACTIONS.flatMap((action) => MODES.map((mode) => ({ kind, action, mode }))));

interface Way {
  tool: JsonObject;
  operation: string;
  request: JsonObject;
  arrived: () => number | Promise<number>;
}

/** Tests each combination of tool type, result of the policies and mode of the run, with real receivers. */
describe('no write arrives that a policy did not pass', () => {
  let scene: Scene;
  let service: Ledger;
  let mcp: McpTestServer;
  let mail: MailServer;
  let folder: string;
  let bob: ApiClient;
  let ways: Record<Kind, Way>;
  let count = 0;

  beforeAll(async () => {
    [service, mcp, mail] = await Promise.all([Ledger.start(), McpTestServer.start(), MailServer.start()]);
    folder = await mkdtemp(join(tmpdir(), 'choke-'));
    scene = await Scene.start();
    await scene.stack.lead('mail', mail.url);
    // Bob must be an admin, because admins decide approvals for which the definition names no approval rule.
    bob = await aPerson(scene.stack, 'bob@example.com', { role: 'admin' });
    await aGroup(scene.stack, 'deciders', ['bob@example.com']);
    const document = crmDocument();
    service.always('/openapi.json', { body: document });
    await scene.stack.client.createAgent({
      name: 'helper',
      tools: [
        {
          name: 'shop',
          type: 'http',
          base_url: service.url,
          operations: [{ name: 'op', method: 'POST', path: '/child' }],
        },
      ],
      steps: [{ id: 'work', tool: 'shop.op', with: {} }],
    });
    const file = join(folder, 'calls');
    const sha256 = createHash('sha256').update(JSON.stringify(document)).digest('hex');
    ways = {
      http: {
        tool: { type: 'http', base_url: service.url, operations: [{ name: 'op', method: 'POST', path: '/write' }] },
        operation: 'op',
        request: {},
        arrived: () => service.callsOf('/write').length,
      },
      openapi: {
        tool: { type: 'openapi', spec: { url: `${service.url}/openapi.json`, sha256 }, include: ['addNotes'] },
        operation: 'addNotes',
        request: { body: ['note'] },
        arrived: () => service.callsOf('/v2/notes').length,
      },
      'mcp over http': {
        tool: { type: 'mcp', transport: 'streamable_http', url: mcp.url, include: ['send_reply'] },
        operation: 'send_reply',
        request: { text: 'hi' },
        arrived: () => mcp.calls.length,
      },
      'mcp over stdio': {
        tool: { type: 'mcp', transport: 'stdio', command: MCP_PROGRAMS.test, args: [file], include: ['send_reply'] },
        operation: 'send_reply',
        request: { text: 'hi' },
        arrived: () =>
          readFile(file, 'utf8').then(
            (text) => text.trim().split('\n').length,
            () => 0,
          ),
      },
      email: {
        tool: { type: 'email', to: ['ops@example.com'] },
        operation: 'send',
        request: { subject: 's', text: 't' },
        arrived: () => mail.messages,
      },
      agent: {
        tool: { type: 'agent', agent: 'helper' },
        operation: 'run',
        request: {},
        arrived: () => service.callsOf('/child').length,
      },
    };
  });

  afterAll(async () => {
    await scene.stop();
    await Promise.all([service.close(), mcp.close(), mail.close(), rm(folder, { recursive: true })]);
  });

  const anAgent = (kind: Kind, action: (typeof ACTIONS)[number]): Promise<string> => {
    const { tool, operation, request } = ways[kind];
    const policy =
      action === 'error'
        ? { when: 'input.missing > 1.0', action: 'allow' }
        : { when: 'true', action, ...(action === 'require_approval' && { approval: 'people' }) };
    return scene.stack.client.createAgent({
      name: `matrix-${++count}`,
      tools: [{ name: 'tool', ...tool }],
      policies: [{ name: 'rule', ...policy }],
      approvals: { people: { approvers: ['deciders'] } },
      steps: [
        { id: 'write', tool: `tool.${operation}`, with: request },
        { id: 'result', output: '${{ steps.write.output }}' },
      ],
    });
  };
  const start = async (agent: string, mode: string): Promise<string> =>
    (await scene.stack.client.expect<{ id: string }>('POST', `/v1/agents/${agent}/runs`, { input: {}, mode })).id;
  const reaches = (id: string, status: string) =>
    eventually(async () => {
      const run = await scene.stack.client.run(id);
      expect(run).toMatchObject({ status });
      return run;
    });
  const stepOf = async (id: string) => {
    const { steps } = await scene.stack.client.trace(id);
    return steps.find(({ type }) => type === 'tool_call');
  };
  const approve = async (id: string): Promise<void> => {
    const { approvals } = await scene.stack.client.expect<{ approvals: { id: string }[] }>('GET', `/v1/runs/${id}`);
    await bob.expect('POST', `/v1/runs/${id}/approvals/${approvals[0]!.id}`, { decision: 'approve' });
  };

  it.each(CASES)('$kind, $action, $mode', async ({ kind, action, mode }) => {
    const before = await ways[kind].arrived();
    const id = await start(await anAgent(kind, action), mode);
    if (action === 'deny') {
      expect(await reaches(id, 'failed')).toMatchObject({ error: { code: 'tool_denied' } });
      expect(await stepOf(id)).toMatchObject({ status: 'denied' });
      expect(await ways[kind].arrived()).toBe(before);
      return;
    }
    if (action !== 'allow') {
      await reaches(id, 'waiting_approval');
      expect(await ways[kind].arrived()).toBe(before);
      await approve(id);
    }
    const run = await reaches(id, 'succeeded');
    if (mode === 'test') {
      expect(run.output).toMatchObject({ simulated: true });
      expect(await stepOf(id)).toMatchObject({ status: 'simulated' });
    }
    expect(await ways[kind].arrived()).toBe(mode === 'test' ? before : before + 1);
  });
});
