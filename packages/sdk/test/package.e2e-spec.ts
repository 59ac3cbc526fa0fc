import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import ts from 'typescript';
import { RECOMMENDED_NODE, runtimeBinary } from '../../../test/support/javascript-runtimes.js';
import { type ApiDocument, OpenApiContract } from '../../../test/support/openapi-contract.js';
import { Scene } from '../../../test/support/scene.js';

const ROOT = join(import.meta.dirname, '../../..');
const SDK = join(ROOT, 'packages/sdk');
const MODULES = join(ROOT, 'node_modules');
const NAME = '@agent-automation/sdk';
/** Releases of Node.js that the package supports, and the release that runs the tests. */
const NODE_RELEASES = new Set([process.versions.node, '22.23.3', RECOMMENDED_NODE]);
const OTHER_RUNTIMES = [
  ['deno', '2.9.6', ['run', '--allow-net', '--allow-env']],
  ['bun', '1.4.5', ['run']],
] as const;
const MAX_SCRIPT_BYTES = 12_288;
/** Maximum size of the types for each operation of the API, in bytes. */
const MAX_TYPE_BYTES_PER_OPERATION = 2_830;

const run = promisify(execFile);
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** Returns the examples of the README, in order. */
async function examples(): Promise<string[]> {
  const readme = await readFile(join(SDK, 'README.md'), 'utf8');
  return [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, text = '']) => text);
}

describe('the package', () => {
  let scene: Scene;
  let folder: string;
  let packed: { path: string }[];

  const nodeAt = async (binary: string, ...args: string[]): Promise<string> => {
    const env = { PATH: process.env.PATH, AAS_URL: `${scene.stack.baseUrl}/v1`, AAS_API_KEY: scene.stack.adminKey };
    const { stdout } = await run(binary, args, { cwd: folder, env });
    return stdout.trim();
  };
  const node = (...args: string[]): Promise<string> => nodeAt(process.execPath, ...args);

  beforeAll(async () => {
    scene = await Scene.start();
    folder = await mkdtemp(join(tmpdir(), 'sdk-'));
    const { stdout } = await run(npm, ['pack', '--json', '--pack-destination', folder], { cwd: SDK });
    const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
    packed = files;
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    await run(npm, ['install', '--offline', '--no-audit', '--no-fund', join(folder, filename)], { cwd: folder });
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
    await scene.stop();
  });

  it('holds the built client and nothing else', () => {
    const others = packed
      .map(({ path }) => path)
      .filter((path) => !/^dist\/(generated\/)?[a-z-]+(\.generated)?(\.d\.ts|\.js)$/.test(path));
    expect(others.sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
  });

  it.each([...NODE_RELEASES])('is imported and required in Node %s', async (version) => {
    const binary = version === process.versions.node ? process.execPath : await runtimeBinary('node', version);
    expect(await nodeAt(binary, '--version')).toBe(`v${version}`);
    const use = 'new AgentAutomation().me.get().then(({ member }) => console.log(member))';
    const imported = `import { AgentAutomation } from '${NAME}'; ${use}`;
    expect(await nodeAt(binary, '--input-type=module', '-e', imported)).toBe('admin@example.com');
    const required = `const { AgentAutomation } = require('${NAME}'); ${use}`;
    expect(await nodeAt(binary, '--input-type=commonjs', '-e', required)).toBe('admin@example.com');
    const webhooks = `typeof require('${NAME}/webhooks').verifyWebhook`;
    expect(await nodeAt(binary, '--input-type=commonjs', '-p', webhooks)).toBe('function');
    // The CLI contains the client, so the CLI must also run in each of these Node.js releases.
    const member = await nodeAt(binary, join(ROOT, 'dist/cli/aas.mjs'), 'whoami', '-o', 'name');
    expect(member).toBe('admin@example.com');
  });

  it.each(OTHER_RUNTIMES)('starts and follows a run in %s', async (name, version, options) => {
    const agent = await scene.stack.client.createAgent({
      name: `run-by-${name}`,
      steps: [{ id: 'a', output: 'done' }],
    });
    const file = join(folder, `${name}.mjs`);
    await writeFile(
      file,
      `import { AgentAutomation, ApiError } from '${NAME}';
       import { verifyWebhook } from '${NAME}/webhooks';
       const aas = new AgentAutomation();
       const { id } = await aas.runs.start('${agent}', { input: {} });
       for await (const { type } of aas.runs.follow(id)) if (type === 'end') console.log((await aas.runs.get(id)).output.value);
       const refusal = await aas.runs.get('run_0').catch((error) => error);
       console.log(refusal instanceof ApiError, refusal.status);
       console.log(await verifyWebhook('{}', new Headers(), 'secret').catch((error) => error.name));`,
    );
    const lines = await nodeAt(await runtimeBinary(name, version), ...options, file);
    expect(lines.split('\n')).toEqual(['done', 'true 404', 'WebhookVerificationError']);
  });

  it('has examples in its README that compile and run', async () => {
    const texts = await examples();
    const files = texts.map((_, index) => `example-${index + 1}.mts`);
    await Promise.all(texts.map((text, index) => writeFile(join(folder, files[index]!), text)));
    const options = [
      '--strict',
      '--noUncheckedIndexedAccess',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--noEmit',
    ];
    const types = ['--types', 'node', '--typeRoots', join(MODULES, '@types')];
    const compiled = await node(join(MODULES, 'typescript/bin/tsc'), ...options, ...types, ...files).catch(
      (failed: unknown) => (failed as { stdout: string }).stdout,
    );
    expect(compiled).toBe('');
    const outputs: string[] = [];
    for (const [index, text] of texts.entries()) {
      const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
      const path = join(folder, `example-${index + 1}.mjs`);
      await writeFile(path, ts.transpileModule(text, { compilerOptions }).outputText);
      outputs.push(await node(path));
    }
    expect(outputs[0]).toBe("succeeded { greeting: 'Hello Ada' }");
    expect(outputs[1]!.split('\n')).toEqual(['1 trigger succeeded', '2 output succeeded']);
    expect(outputs.slice(4, 6)).toEqual([expect.stringContaining('not_found'), 'true']);
  });

  it('is small in a browser', async () => {
    await writeFile(join(folder, 'entry.js'), `export * from '${NAME}';`);
    const build = { lib: { entry: 'entry.js', formats: ['es'], fileName: 'bundle' }, minify: 'oxc' };
    await writeFile(join(folder, 'vite.config.mjs'), `export default ${JSON.stringify({ build, logLevel: 'error' })};`);
    await node(join(MODULES, 'vite/bin/vite.js'), 'build', '--config', 'vite.config.mjs');
    const bundle = await readFile(join(folder, 'dist/bundle.mjs'));
    expect(gzipSync(bundle).length).toBeLessThanOrEqual(MAX_SCRIPT_BYTES);
    expect(bundle.toString('utf8')).not.toMatch(/\bfrom\s*["']|\brequire\(/);
  });

  it('has types of a moderate size', async () => {
    const dist = join(folder, 'node_modules', NAME, 'dist');
    const files = (await readdir(dist, { recursive: true })).filter((path) => path.endsWith('.d.ts'));
    const sizes = await Promise.all(files.map(async (path) => (await readFile(join(dist, path))).length));
    const document = JSON.parse(await readFile(join(SDK, 'openapi.json'), 'utf8')) as ApiDocument;
    const operations = new OpenApiContract(document).operations().length;
    expect(operations).toBeGreaterThan(100);
    expect(sizes.reduce((sum, each) => sum + each, 0) / operations).toBeLessThanOrEqual(MAX_TYPE_BYTES_PER_OPERATION);
  });
});
