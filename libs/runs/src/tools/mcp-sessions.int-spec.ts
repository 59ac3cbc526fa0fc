import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type CompiledDefinition, compileDefinition, type ToolDescriptions } from '@app/definition';
import type { JsonObject, JsonValue } from '@app/kernel';
import { eventually } from '../../../../test/support/eventually.js';
import { McpTestServer } from '../../../../test/support/mcp-test-server.js';
import { someTools } from '../../../../test/support/mcp-tools.mjs';
import type { ToolCall } from '../calls/tool-call.js';
import { ToolBench } from '../testing/tool-bench.js';

const STDIO = resolve('test/fixtures/mcp-stdio-server.mjs');
const TRANSPORTS = ['streamable_http', 'stdio'] as const;
type Transport = (typeof TRANSPORTS)[number];

interface Program {
  pid: number;
  folder: string;
}

/** An attempt of a run. */
interface Attempt {
  workspaceId: string;
  agentId: string;
  runId: string;
  mode?: ToolCall['mode'];
  attempt?: number;
  release: AbortController;
}

describe('the session of an MCP server', () => {
  let server: McpTestServer;
  let bench: ToolBench;
  let folder: string;
  let file: string;
  let count = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mcp-sessions-'));
    file = join(folder, 'calls');
    server = await McpTestServer.start();
    bench = await ToolBench.start({ EGRESS_ALLOW: server.egressEntry, MCP_STDIO_COMMANDS: STDIO });
    const held = new Map<string, string>();
    server.answer = ({ arguments: args }, session) => {
      const [word, text = ''] = String(args?.text).split(' ');
      if (word === 'remember') held.set(session, text);
      return { content: [{ type: 'text', text: held.get(session) ?? 'nothing' }] };
    };
  });

  afterAll(async () => {
    await bench.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  const begin = (more: Partial<Attempt> = {}): Attempt => ({
    workspaceId: 'ws_a',
    agentId: `agt_${++count}`,
    runId: `run_${count}`,
    release: new AbortController(),
    ...more,
  });
  const definition = (transport: Transport, settings: JsonObject = {}): CompiledDefinition => {
    const where: JsonObject = transport === 'stdio' ? { command: STDIO, args: [file] } : { url: server.url };
    const operations = someTools().map(({ name, inputSchema }) => [
      name,
      { description: null, request: inputSchema as JsonObject, readsOnly: true, http: null },
    ]);
    const described: ToolDescriptions = { m: { operations: Object.fromEntries(operations) } };
    const tool = { name: 'm', type: 'mcp', transport, ...where, include: ['look_up'], ...settings };
    return compileDefinition({ name: 'a', tools: [tool], steps: [] }, described);
  };
  const say = async (of: CompiledDefinition, attempt: Attempt, text: string): Promise<JsonValue> => {
    const { workspaceId, agentId, runId, mode = 'production', attempt: number = 1, release } = attempt;
    const result = await bench.callOf(
      of,
      'm.look_up',
      { text },
      {
        workspaceId,
        mode,
        timeoutMs: 60_000,
        context: { input: {}, agent: { id: agentId } },
        origin: { runId, step: 's', epoch: '1', attempt: number },
        released: release.signal,
      },
    );
    expect(result).toMatchObject({ kind: 'answered' });
    return result.kind === 'answered' ? result.output : null;
  };
  const programs = async (): Promise<Program[]> =>
    (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Program);
  const lastProgram = async (): Promise<Program> => (await programs()).at(-1) ?? { pid: 0, folder: '' };

  describe.each(TRANSPORTS)('over %s', (transport) => {
    it.each<[string, (one: Attempt) => Partial<Attempt>]>([
      ['another workspace', (one) => ({ ...one, workspaceId: 'ws_b' })],
      ['another agent of the workspace', (one) => ({ ...one, agentId: 'agt_other' })],
      ['another run of the agent', (one) => ({ ...one, runId: 'run_other' })],
      ['another attempt of the run', (one) => ({ ...one, attempt: 2 })],
    ])('is not shared with %s', async (_, other) => {
      const one = begin();
      await say(definition(transport), one, 'remember red');
      expect(await say(definition(transport), begin(other(one)), 'recall')).toBe('nothing');
      expect(await say(definition(transport), one, 'recall')).toBe('red');
    });

    it('is not shared between tools with other credentials, or with another definition of `session`', async () => {
      const one = begin();
      await say(definition(transport, { session: 'agent', headers: { 'x-key': 'a' } }), one, 'remember red');
      if (transport === 'streamable_http')
        expect(await say(definition(transport, { session: 'agent', headers: { 'x-key': 'b' } }), one, 'recall')).toBe(
          'nothing',
        );
      expect(await say(definition(transport, { headers: { 'x-key': 'a' } }), one, 'recall')).toBe('nothing');
    });

    it('is kept for later runs of the agent with `session: agent`, and for no other agent', async () => {
      const of = definition(transport, { session: 'agent' });
      const one = begin();
      await say(of, one, 'remember red');
      one.release.abort();
      expect(await say(of, begin({ agentId: one.agentId }), 'recall')).toBe('red');
      expect(await say(of, begin({ agentId: one.agentId, mode: 'test' }), 'recall')).toBe('nothing');
      expect(await say(of, begin(), 'recall')).toBe('nothing');
      expect(await say(of, begin({ agentId: one.agentId, workspaceId: 'ws_b' }), 'recall')).toBe('nothing');
    });

    it('stays the same for the calls of a run after some of them were made at the same time', async () => {
      const [of, one] = [definition(transport), begin()];
      await say(of, one, 'remember red');
      await Promise.all(Array.from({ length: 4 }, () => say(of, one, 'look')));
      expect(await say(of, one, 'recall')).toBe('red');
    });
  });

  it('is ended with DELETE when the attempt of the run ends', async () => {
    await eventually(() => expect(server.openSessions).toBeGreaterThan(0));
    const before = server.openSessions;
    const one = begin();
    await say(definition('streamable_http'), one, 'remember red');
    expect(server.openSessions).toBe(before + 1);
    one.release.abort();
    await eventually(() => expect(server.openSessions).toBe(before));
  });

  it('is ended when the attempt ended during its call', async () => {
    const before = server.openSessions;
    const [one, { answer }] = [begin(), server];
    server.answer = (params, session) => {
      one.release.abort();
      return answer(params, session);
    };
    await say(definition('streamable_http'), one, 'recall');
    server.answer = answer;
    await eventually(() => expect(server.openSessions).toBe(before));
  });

  it('has a program with a folder of its own, and both are gone after the attempt', async () => {
    const [one, other] = [begin(), begin()];
    await say(definition('stdio'), one, 'look');
    const first = await lastProgram();
    await say(definition('stdio'), other, 'look');
    expect((await lastProgram()).folder).not.toBe(first.folder);
    expect(existsSync(first.folder)).toBe(true);
    one.release.abort();
    await eventually(() => {
      expect(existsSync(first.folder)).toBe(false);
      expect(() => process.kill(first.pid, 0)).toThrow('ESRCH');
    });
  });

  it('is ended when the process shuts down', async () => {
    const worker = await ToolBench.start({ EGRESS_ALLOW: server.egressEntry, MCP_STDIO_COMMANDS: STDIO });
    const before = server.openSessions;
    const call = { context: { input: {}, agent: { id: 'agt_x' } }, timeoutMs: 60_000 };
    for (const transport of TRANSPORTS) await worker.callOf(definition(transport), 'm.look_up', { text: 'x' }, call);
    const { pid, folder: used } = await lastProgram();
    expect(server.openSessions).toBe(before + 1);
    await worker.close();
    expect(server.openSessions).toBe(before);
    expect(existsSync(used)).toBe(false);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
