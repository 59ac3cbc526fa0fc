import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { Scene } from '../support/scene.js';
import { MCP_PROGRAMS } from '../support/shared-stack.js';

const WITHIN = 60_000;
const program = (name: string): string => resolve('node_modules/.bin', `mcp-server-${name}`);

/**
 * The tools are those of the reference servers of the Model Context Protocol, from npm. Their schemas are JSON Schema
 * draft-07.
 */
describe('the reference servers of MCP', () => {
  let scene: Scene;
  let folder: string;
  let everything: ChildProcess;
  let port: number;
  let count = 0;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mcp-reference-'));
    port = await freePort();
    everything = spawn(process.execPath, [program('everything'), 'streamableHttp'], {
      env: { PATH: process.env.PATH, PORT: String(port) },
      stdio: 'ignore',
    });
    await eventually(() => accepts(port), { within: WITHIN });
    scene = await Scene.start();
  });

  afterAll(async () => {
    await scene.stop();
    const ended = once(everything, 'exit');
    everything.kill();
    await ended;
    await rm(folder, { recursive: true });
  });

  /** Calls tools of a server one after the other, and returns their outputs. */
  const outputsOf = async (server: JsonObject, calls: readonly (readonly [tool: string, request: JsonObject])[]) => {
    const include = [...new Set(calls.map(([name]) => name))];
    const overrides = Object.fromEntries(include.map((name) => [name, { scope: 'write' }]));
    const steps = calls.map(([name, request], n) => ({ id: `s${n}`, tool: `mcp.${name}`, with: request }));
    const outputs = steps.map(({ id }) => `\${{ steps.${id}.output }}`);
    const agent = await scene.stack.client.createAgent({
      name: `reference-${++count}`,
      tools: [{ name: 'mcp', type: 'mcp', include, overrides, ...server }],
      steps: [...steps, { id: 'result', output: { outputs } }],
    });
    const path = `/v1/agents/${agent}/runs`;
    const { id } = await scene.stack.client.expect<{ id: string }>('POST', path, { input: {}, mode: 'production' });
    const run = await eventually(
      async () => {
        const found = await scene.stack.client.run(id);
        expect(['succeeded', 'failed']).toContain(found.status);
        return found;
      },
      { within: WITHIN },
    );
    expect(run).toMatchObject({ status: 'succeeded', error: null });
    return (run.output as { outputs: unknown[] }).outputs;
  };

  it('are called over streamable HTTP', async () => {
    const server = { transport: 'streamable_http', url: `http://127.0.0.1:${port}/mcp` };
    const outputs = await outputsOf(server, [
      ['echo', { message: 'hello' }],
      ['get-sum', { a: 2, b: 3 }],
      ['get-annotated-message', { messageType: 'success' }],
      ['get-structured-content', { location: 'Chicago' }],
      ['get-tiny-image', {}],
      ['get-resource-links', { count: 2 }],
      ['get-resource-reference', { resourceType: 'Text', resourceId: 1 }],
      ['trigger-long-running-operation', { duration: 1, steps: 1 }],
    ]);
    expect(outputs[0]).toContain('hello');
    expect(outputs[1]).toContain('5');
    expect(outputs[3]).toMatchObject({ temperature: expect.any(Number) });
    expect(outputs).toHaveLength(8);
  });

  it('work with files over stdio', async () => {
    const path = (name: string): string => join(folder, name);
    const outputs = await outputsOf({ transport: 'stdio', command: MCP_PROGRAMS.filesystem, args: [folder] }, [
      ['create_directory', { path: path('notes') }],
      ['write_file', { path: path('notes/a.txt'), content: 'one\ntwo\n' }],
      ['edit_file', { path: path('notes/a.txt'), edits: [{ oldText: 'two', newText: 'three' }] }],
      ['read_text_file', { path: path('notes/a.txt') }],
      ['read_multiple_files', { paths: [path('notes/a.txt')] }],
      ['list_directory', { path: path('notes') }],
      ['list_directory_with_sizes', { path: path('notes'), sortBy: 'size' }],
      ['directory_tree', { path: path('notes') }],
      ['search_files', { path: folder, pattern: '**/a.txt' }],
      ['get_file_info', { path: path('notes/a.txt') }],
      ['list_allowed_directories', {}],
      ['move_file', { source: path('notes/a.txt'), destination: path('notes/b.txt') }],
    ]);
    expect(JSON.stringify(outputs[3])).toContain('three');
    expect(await readFile(path('notes/b.txt'), 'utf8')).toBe('one\nthree\n');
  });

  it('keep a graph in memory over stdio, also when calls come at the same time', async () => {
    const entity = { name: 'Ada', entityType: 'person', observations: ['writes programs'] };
    const relation = { from: 'Ada', to: 'Ada', relationType: 'knows' };
    const server = { transport: 'stdio', command: MCP_PROGRAMS.memory, args: [join(folder, 'memory.jsonl')] };
    const outputs = await outputsOf(server, [
      ['create_entities', { entities: [entity] }],
      ['create_relations', { relations: [relation] }],
      ['add_observations', { observations: [{ entityName: 'Ada', contents: ['reads'] }] }],
      ['search_nodes', { query: 'ada' }],
      ['read_graph', {}],
    ]);
    expect(outputs[0]).toMatchObject({ entities: [entity] });
    const graph = { entities: [{ ...entity, observations: ['writes programs', 'reads'] }], relations: [relation] };
    expect(outputs.slice(3)).toEqual([graph, graph]);
    const reads = Array.from({ length: 8 }, () => outputsOf(server, [['read_graph', {}]]));
    expect(await Promise.all(reads)).toEqual(reads.map(() => [graph]));
  });

  it('that the operator does not allow are refused when the agent is created', async () => {
    const tool = { name: 'mcp', type: 'mcp', transport: 'stdio', command: program('everything'), include: ['echo'] };
    const definition = { name: 'not-allowed', tools: [tool], steps: [{ id: 'a', output: 1 }] };
    const answer = await scene.stack.client.call<JsonObject>('POST', '/v1/agents', definition);
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain('MCP_STDIO_COMMANDS');
  });
});

async function accepts(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
  } finally {
    socket.destroy();
  }
}
