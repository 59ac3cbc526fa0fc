import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTypescript, { astToString } from 'openapi-typescript';
import { startApi } from '../support/api.js';

const run = promisify(execFile);

/**
 * Directory whose package.json pins the generators and the linter. They are too large for the dependencies of the
 * project.
 */
const TOOLS = join(import.meta.dirname, '../openapi');

/** A program that uses the generated types as a client would. It narrows unions by their type, and names components. */
const USAGE = `import type { components, operations } from './types.js';
type Schemas = components['schemas'];
export function toolOf(step: Schemas['TraceStep']): string | null | undefined {
  return step.type === 'tool_call' ? step.tool : undefined;
}
export function statusOf(event: Schemas['RunEvent']): string | undefined {
  return event.type === 'status' ? event.data.status : undefined;
}
export const step: Schemas['AgentDefinitionStep'] = { id: 'result', output: { greeting: 'Hello' } };
export type Page = operations['listRuns']['responses'][200]['content']['application/json'];
export const first = (page: Page): Schemas['Run'] | undefined => page.data[0];
export const code: Schemas['Problem']['code'] = 'not_found';
`;

/** Runs the generators that clients use on the unchanged document of the service. */
describe('tools that read the OpenAPI document', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'openapi-tools-'));
    for (const name of ['package.json', 'package-lock.json']) await cp(join(TOOLS, name), join(folder, name));
    // If a tool requires a newer Node.js than this project, npm only prints a warning.
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
    await run('npm', ['ci', ...flags], { cwd: folder });
    const api = await startApi();
    await writeFile(join(folder, 'openapi.json'), JSON.stringify((await api.call('GET', '/v1/openapi.json')).body));
    await api.close();
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  const tool = (name: string, ...args: string[]) =>
    run(join(folder, 'node_modules/.bin', name), args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });

  const compile = async (...files: string[]): Promise<void> => {
    const options = ['--strict', '--noEmit', '--skipLibCheck', '--target', 'es2022', '--module', 'nodenext'];
    const compiler = tool('tsc', ...options, '--lib', 'es2023,dom,dom.iterable', ...files);
    const { stdout } = await compiler.catch((error: unknown) => error as { stdout: string });
    expect(stdout).toBe('');
  };

  it('openapi-typescript makes types that compile and can be narrowed', async () => {
    const document = await readFile(join(folder, 'openapi.json'), 'utf8');
    // With this option, a property with a default may be absent from a request.
    const types = astToString(await openapiTypescript(document, { defaultNonNullable: false }));
    expect(types).not.toMatch(/unknown\s*&\s*unknown/);
    await mkdir(join(folder, 'types'));
    await writeFile(join(folder, 'types/types.ts'), types);
    await writeFile(join(folder, 'types/usage.ts'), USAGE);
    await compile('types/usage.ts');
  });

  it('@hey-api/openapi-ts makes types that compile', async () => {
    await tool('openapi-ts', '--input', 'openapi.json', '--output', 'hey-api', '--plugins', '@hey-api/typescript');
    const types = await readFile(join(folder, 'hey-api/types.gen.ts'), 'utf8');
    expect(types).not.toMatch(/unknown\s*&\s*unknown/);
    await compile('hey-api/types.gen.ts');
  });

  it('orval makes a client that compiles', async () => {
    await tool('orval', '--input', 'openapi.json', '--output', 'orval/client.ts', '--client', 'fetch');
    await compile('orval/client.ts');
  });

  it('redocly has nothing to report', async () => {
    const { stdout } = await tool('redocly', 'lint', 'openapi.json', '--format', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] });
  });
});
