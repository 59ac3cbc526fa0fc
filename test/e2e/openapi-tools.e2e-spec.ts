import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { sharedApi } from '../support/shared-api.js';

const run = promisify(execFile);

/**
 * Directory whose package.json pins the generators and the linter. They are too large for the dependencies of the
 * project.
 */
const TOOLS = join(import.meta.dirname, '../openapi');

/**
 * What a client does in each generated form: it reads the fields that only some problems have, follows the pages of any
 * list, and narrows unions by their type. `Schemas` are the generated types of the components.
 */
const READS = `
export function toolOf(step: Schemas['TraceStep']): string | null | undefined {
  return step.type === 'tool_call' ? step.tool : undefined;
}
export function statusOf(event: Schemas['RunEvent']): string | undefined {
  return event.type === 'status' ? event.data.status : undefined;
}
export const step: Schemas['AgentDefinitionStep'] = { id: 'result', output: 1, retry: { max_attempts: 2 } };
export const chunking: Schemas['KnowledgeBaseSettings'] = { chunking: { max_tokens: 256 } };
export const ended = (run: Schemas['Run']): boolean => run.status === 'succeeded' || run.status === 'failed';
export const code: Schemas['Problem']['code'] = 'not_found';
export const more = ({ approvers, latest_version, run_status }: Schemas['Problem']) =>
  [approvers?.join(), latest_version?.toFixed(), run_status?.length];
export type Page<Item> = { data: Item[]; next_cursor?: string };
export const pages = (runs: Schemas['RunPage'], state: Schemas['StatePage']): [Page<Schemas['Run']>, Page<Schemas['StateEntry']>] =>
  [runs, state];
`;

/** Components that {@link READS} names, for generators that export each as a type of its own. */
const READ = [
  'AgentDefinitionStep',
  'KnowledgeBaseSettings',
  'Problem',
  'Run',
  'RunEvent',
  'RunPage',
  'StateEntry',
  'StatePage',
  'TraceStep',
];

const BODY = "{ name: 'greeter', steps: [{ id: 'result', output: { greeting: 'Hello' } }] }";

const FETCH_USAGE = `import createClient from 'openapi-fetch';
import type { components, paths } from './types.js';
type Schemas = components['schemas'];
const client = createClient<paths>({ baseUrl: 'http://localhost' });
export async function first(): Promise<Schemas['Run'] | undefined> {
  const { data: agent } = await client.POST('/v1/agents', { body: ${BODY} });
  const path = { id: agent?.id ?? '' };
  const { data: run } = await client.POST('/v1/agents/{id}/runs', { params: { path }, body: { input: {} } });
  const { data: page } = await client.GET('/v1/runs', { params: { query: { order: 'asc', status: ['failed'] } } });
  return page?.data.find(({ id }) => id === run?.id);
}
${READS}`;

const HEY_API_USAGE = `import { createAgent, listRuns, startRun } from './client/index';
import type * as types from './client/index';
type Schemas = { ${READ.map((name) => `${name}: types.${name}`).join('; ')} };
export async function first(): Promise<types.Run | undefined> {
  const { data: agent } = await createAgent({ body: ${BODY} });
  const { data: run } = await startRun({ path: { id: agent?.id ?? '' }, body: { input: {} } });
  const { data: page } = await listRuns({ query: { order: 'asc', status: ['failed'] } });
  return page?.data.find(({ id }) => id === run?.id);
}
${READS}`;

const ORVAL_USAGE = `import { createAgent, listRuns, startRun } from './client.js';
import type * as types from './client.js';
type Schemas = { ${READ.map((name) => `${name}: types.${name}`).join('; ')} };
export async function first(): Promise<types.Run | undefined> {
  const created = await createAgent(${BODY});
  if (created.status !== 201) return undefined;
  const run = await startRun(created.data.id, { input: {} });
  const page = await listRuns({ order: 'asc', status: ['failed'] });
  return page.status === 200 && run.status === 202 ? page.data.data.find(({ id }) => id === run.data.id) : undefined;
}
${READS}`;

/** Runs the generators that clients use on the unchanged document of the service. */
describe('tools that read the OpenAPI document', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openapi-tools-'));
    for (const name of ['package.json', 'package-lock.json']) await cp(join(TOOLS, name), join(folder, name));
    // If a tool requires a newer Node.js than this project, npm only prints a warning.
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    await run('npm', ['ci', ...flags], { cwd: folder });
    const api = await sharedApi();
    await writeFile(join(folder, 'openapi.json'), JSON.stringify((await api.call('GET', '/v1/openapi.json')).body));
    await api.close();
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  const tool = (name: string, ...args: string[]) =>
    run(join(folder, 'node_modules/.bin', name), args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });

  const compile = async (file: string, module = ['--module', 'nodenext']): Promise<void> => {
    const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022', ...module];
    const compiler = tool('tsc', ...options, '--lib', 'es2023,dom,dom.iterable', file);
    const { stdout } = await compiler.catch((error: unknown) => error as { stdout: string });
    expect(stdout).toBe('');
  };

  it('openapi-typescript makes types with which openapi-fetch compiles, and which can be narrowed', async () => {
    const types = astToString(await openapiTypescript(await readFile(join(folder, 'openapi.json'), 'utf8')));
    expect(types).not.toMatch(/unknown\s*&\s*unknown/);
    await mkdir(join(folder, 'types'));
    await writeFile(join(folder, 'types/types.ts'), types);
    await writeFile(join(folder, 'types/usage.ts'), FETCH_USAGE);
    await compile('types/usage.ts');
  });

  it('@hey-api/openapi-ts makes a client that compiles, and types that can be narrowed', async () => {
    await tool('openapi-ts', '--input', 'openapi.json', '--output', 'hey-api/client');
    const types = await readFile(join(folder, 'hey-api/client/types.gen.ts'), 'utf8');
    expect(types).not.toMatch(/unknown\s*&\s*unknown/);
    await writeFile(join(folder, 'hey-api/usage.ts'), HEY_API_USAGE);
    await compile('hey-api/usage.ts', ['--module', 'esnext', '--moduleResolution', 'bundler']);
  });

  it('orval makes a client that compiles, and types that can be narrowed', async () => {
    await tool('orval', '--input', 'openapi.json', '--output', 'orval/client.ts', '--client', 'fetch');
    await writeFile(join(folder, 'orval/usage.ts'), ORVAL_USAGE);
    await compile('orval/usage.ts');
  });

  it('redocly has nothing to report', async () => {
    const { stdout } = await tool('redocly', 'lint', 'openapi.json', '--format', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
  });
});
