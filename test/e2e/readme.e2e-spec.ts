import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
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

const MOST_LINES = 220;
const LONGEST_LINE = 140;

/** Returns the commands of the README between two markers. */
function commands(readme: string, from: string, to: string): string {
  const part = readme.split(`<!-- tour: ${from} -->`)[1]?.split(`<!-- tour: ${to} -->`)[0];
  if (!part) throw new Error(`The README has no tour from ${from} to ${to}.`);
  return [...part.matchAll(/```bash\n(.*?)```/gs)].map((block) => block[1]).join('\n');
}

describe('the README', () => {
  const started: ChildProcess[] = [];
  let folder: string;
  let inItsPlace: (text: string) => string;
  let readme: string;

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
    folder = await mkdtemp(join(tmpdir(), 'readme-'));
    const [port, toolPort] = [await freePort(), await freePort()];
    const dataDir = join(folder, 'data');
    inItsPlace = (text) =>
      text.replaceAll(':3000', `:${port}`).replaceAll('4000', String(toolPort)).replaceAll('.data/', `${dataDir}/`);
    const [tool] = commands(readme, 'start', 'talk').split('&\n');
    start('bash', ['-c', `exec ${inItsPlace(tool ?? '').trim()}`], {});
    const service = start(process.execPath, ['apps/standalone/start.mjs', '--no-sample'], {
      DATA_DIR: dataDir,
      PORT: String(port),
      EGRESS_ALLOW: `127.0.0.1/32:${toolPort}`,
    });
    await eventually(
      async () => {
        if (service.exitCode !== null) throw new Error(`npm start ended with ${service.exitCode}`);
        const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
        expect(ready.status).toBe(200);
        expect(existsSync(join(dataDir, 'admin.key'))).toBe(true);
      },
      { within: 90_000 },
    );
  });

  afterAll(async () => {
    for (const child of started.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  });

  it('has a tour whose commands work as they are pasted', async () => {
    const script = inItsPlace(commands(readme, 'talk', 'end')).replaceAll(
      'refund-desk.yaml',
      join(folder, 'refund-desk.yaml'),
    );
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: ROOT,
      env: { ...process.env, DATA_DIR: join(folder, 'data') },
      timeout: 60_000,
    });
    const lines = stdout.split('\n').filter(Boolean);
    const [me, validation, rehearsal, group, decided, refunded, again, ...rest] = lines;
    const [delivered, repeated, stopped, refused, resumed] = rest;
    expect(JSON.parse(me ?? '')).toMatchObject({ member: 'admin@example.com', role: 'admin' });
    expect(validation).toMatch(/Did you mean `steps`/);
    expect(rehearsal).toMatch(/"type":"tool_call".*"status":"succeeded"/);
    expect(JSON.parse(group ?? '')).toMatchObject({ name: 'finance', members: ['bob@example.com'] });
    expect(JSON.parse(decided ?? '')).toMatchObject({ status: 'approved', policy: 'big-refund' });
    expect(JSON.parse(refunded ?? '')).toMatchObject({ status: 'succeeded', output: { refund: 'r-1' } });
    expect(again).toBe((JSON.parse(refunded ?? '') as { id: string }).id);
    const { run } = JSON.parse(delivered ?? '') as { run: string };
    expect(run).toMatch(/^run_/);
    expect(JSON.parse(repeated ?? '')).toEqual({ run, status: 'queued', duplicate: true });
    expect(JSON.parse(stopped ?? '')).toMatchObject({ status: 'stopped', in_flight: [] });
    expect(JSON.parse(refused ?? '')).toMatchObject({ code: 'workspace_stopped' });
    expect(JSON.parse(resumed ?? '')).toMatchObject({ status: 'active' });
  });

  it('links to files that exist, and so do the pages beside it', async () => {
    const found = (await readdir(join(ROOT, 'docs'), { recursive: true })).filter((name) => name.endsWith('.md'));
    const targets: string[] = [];
    for (const page of ['README.md', ...found.map((name) => join('docs', name))]) {
      const text = await readFile(join(ROOT, page), 'utf8');
      const linked = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((match) => match[1] ?? '');
      targets.push(...linked.map((target) => join(dirname(page), target)));
    }
    expect(targets.length).toBeGreaterThan(10);
    expect(targets.filter((target) => !existsSync(join(ROOT, target)))).toEqual([]);
  });

  it('is short, and leaves the rest to the pages in docs', () => {
    const lines = readme.split('\n');
    expect(lines.length).toBeLessThanOrEqual(MOST_LINES);
    expect(lines.filter((line) => line.length > LONGEST_LINE)).toEqual([]);
  });

  it('and the guarantees name tests that exist', async () => {
    const guarantees = await readFile(join(ROOT, 'docs/guarantees.md'), 'utf8');
    const named = [...(readme + guarantees).matchAll(/`((?:test|libs|apps)\/[^`]+)`/g)].map((match) => match[1] ?? '');
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
