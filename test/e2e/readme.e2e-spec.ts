import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CommandLine, type CommandOutcome } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';

const ROOT = join(import.meta.dirname, '..', '..');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return address.port;
}

const MAX_LINES = 220;
const MAX_LINE = 140;

/** Returns the commands of a document between two markers. */
function commands(document: string, from: string, to: string): string {
  const part = document.split(`<!-- tour: ${from} -->`)[1]?.split(`<!-- tour: ${to} -->`)[0];
  if (!part) throw new Error(`The document has no tour from ${from} to ${to}.`);
  return [...part.matchAll(/```bash\n(.*?)```/gs)].map((block) => block[1]).join('\n');
}

describe('the README', () => {
  const started: ChildProcess[] = [];
  let folder: string;
  let inItsPlace: (text: string) => string;
  let readme: string;
  let refundDesk: string;
  let aas: CommandLine;
  /** What `npm start` has printed. */
  let output = '';

  const start = (command: string, args: string[], env: Record<string, string>): ChildProcess => {
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(child);
    return child;
  };

  beforeAll(async () => {
    readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    refundDesk = await readFile(join(ROOT, 'docs/refund-desk.md'), 'utf8');
    folder = await mkdtemp(join(tmpdir(), 'readme-'));
    const [port, toolPort] = [await freePort(), await freePort()];
    const dataDir = join(folder, 'data');
    inItsPlace = (text) =>
      text
        .replaceAll(':3000', `:${port}`)
        .replaceAll('4000', String(toolPort))
        .replaceAll(/(\.\.\/)?\.data\//g, `${dataDir}/`)
        .replaceAll('npx aas', 'aas')
        .replaceAll('npm run', `npm run --prefix '${ROOT}'`);
    aas = await CommandLine.open({ DATA_DIR: dataDir });
    const [tool] = commands(refundDesk, 'shop', 'start').split('&\n');
    start('bash', ['-c', `exec ${inItsPlace(tool ?? '').trim()}`], {});
    const service = start(process.execPath, ['apps/standalone/start.mjs', '--no-sample'], {
      DATA_DIR: dataDir,
      PORT: String(port),
      EGRESS_ALLOW: `127.0.0.1/32:${toolPort}`,
    });
    service.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await eventually(async () => {
      if (service.exitCode !== null) throw new Error(`npm start ended with ${service.exitCode}`);
      const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
      expect(ready.status).toBe(200);
      expect(existsSync(join(dataDir, 'admin.key'))).toBe(true);
    });
  });

  afterAll(async () => {
    for (const child of started.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    await aas.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs the commands of a document one after the other, as a reader would paste them. */
  const pasted = async (document: string): Promise<CommandOutcome> => {
    const outcome = await aas.shell(`set -u\n${inItsPlace(commands(document, 'start', 'end'))}`);
    if (outcome.code === 0) return outcome;
    throw new Error(`A command ended with ${outcome.code ?? 'a signal'}:\n${outcome.stdout}\n${outcome.stderr}`);
  };

  it('starts without the admin key in the output, which is no terminal here', async () => {
    await eventually(() => expect(output).toMatch(/Admin key +in .*admin\.key\n/));
    expect(output).not.toContain('aas_live_');
  });

  it('has a tour of five commands that work as they are pasted', async () => {
    expect(commands(readme, 'start', 'end').match(/^npx aas /gm)).toHaveLength(5);
    const { stdout } = await pasted(readme);
    expect(stdout).toMatch(/^status +succeeded$/m);
    expect(stdout).toMatch(/^output +\{"greeting":"Hello, Ada!"\}$/m);
  });

  it('starts the command line with npx in a folder of the checkout', async () => {
    const { stdout } = await promisify(execFile)('npx', ['--no-install', 'aas', '--version'], {
      cwd: join(ROOT, 'docs'),
    });
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('leads to a page whose commands work as they are pasted', async () => {
    const { stdout, stderr } = await pasted(refundDesk);
    expect(stderr).toMatch(/refund-desk\.yaml:2:\d+: error: .*`steps`/);
    expect(stdout).toMatch(/simulated +tool_call shop\.refund/);
    expect(stdout).toMatch(/^policy +big-refund$/m);
    expect(stdout).toMatch(/approved +approval refund#approval[\s\S]*^run succeeded$/m);
    expect(stderr).toContain('Promoted refund-desk@2.');
    expect(stdout).toMatch(/^production_version +1$/m);
    const delivered = [...stdout.matchAll(/^\{.*"run":"(run_\w+)",.*"duplicate":(\w+)/gm)].map(([, run, again]) => [
      run,
      again,
    ]);
    expect(delivered).toEqual([
      [expect.any(String), 'false'],
      [delivered[0]?.[0], 'true'],
    ]);
    expect(stderr).toContain('409 workspace_stopped');
    expect(stdout).toMatch(/^status +stopped$[\s\S]*^status +active$/m);
  });

  it('is short, and leaves the rest to the pages in docs', () => {
    const lines = readme.split('\n');
    expect(lines.length).toBeLessThanOrEqual(MAX_LINES);
    expect(lines.filter((line) => line.length > MAX_LINE)).toEqual([]);
  });

  it('and the guarantees name tests that exist', async () => {
    const guarantees = await readFile(join(ROOT, 'docs/guarantees.md'), 'utf8');
    const named = [...(readme + guarantees).matchAll(/`((?:test|libs|apps)\/[^`]+)`/g)].map((match) => match[1] ?? '');
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
