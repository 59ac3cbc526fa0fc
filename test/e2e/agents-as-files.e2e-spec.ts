import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandLine, type CommandOutcome, failureIn, outcomeOf } from '../support/command-line.js';
import { type Fault, FaultProxy } from '../support/fault-proxy.js';
import { REPOSITORY_ROOT } from '../support/repository-root.js';
import { type LoneScene, Scene } from '../support/scene.js';

const greeter = (name: string, text: string): string => `# ${name}, with its comment
name: ${name}
input: { type: object, required: [name], properties: { name: { type: string } } }
steps:
  - id: result
    output: { greeting: '${text} \${{ input.name }}' }
`;
describe('agents as files', () => {
  let scene: LoneScene;
  let aas: CommandLine;
  let folder: string;
  let projects = 0;

  beforeAll(async () => {
    scene = await Scene.alone({ why: 'needs an installation without models' });
    aas = await CommandLine.open({ AAS_URL: scene.stack.baseUrl, AAS_API_KEY: scene.stack.adminKey });
  });
  beforeEach(async () => {
    projects += 1;
    folder = await mkdtemp(join(tmpdir(), 'aas-project-'));
    await write('aas.yaml', `project: project-${projects}\n`);
    await mkdir(join(folder, 'agents'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  afterAll(async () => {
    await aas.close();
    await scene.stop();
  });

  const write = (file: string, text: string) => writeFile(join(folder, file), text);
  const run = (...args: string[]): Promise<CommandOutcome> => aas.run([...args, '-o', 'json'], { cwd: folder });
  const agent = (name: string) =>
    aas.json<{ latest_version: number; status: string; project: string }>(['agents', 'get', name]);
  const rows = ({ stdout }: CommandOutcome): unknown => JSON.parse(stdout);

  it('work as the example of docs/cli.md shows', async () => {
    await rm(join(folder, 'aas.yaml'));
    const text = await readFile(join(REPOSITORY_ROOT, 'docs/cli.md'), 'utf8');
    const [, example = ''] = /<!-- example: start -->\s+```bash\n([^`]+)```/.exec(text) ?? [];
    const lines = example.match(/^aas [^#\n]+/gm) ?? [];
    const outcomes: CommandOutcome[] = [];
    for (const line of lines) outcomes.push(await aas.run(line.trim().split(/\s+/).slice(1), { cwd: folder }));
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(JSON.parse(outcomes[3]?.stdout ?? '')).toMatchObject({ output: { greeting: 'Hello, Ada!' } });
  });

  it('are made by init, which overwrites nothing', async () => {
    const templates = rows(await run('init', '--list')) as { name: string; files: string[] }[];
    expect(templates.map(({ name }) => name)).toEqual(expect.arrayContaining(['hello', 'approval', 'supervisor']));
    expect(templates.find(({ name }) => name === 'supervisor')?.files).toHaveLength(4);
    for (const { name } of templates) {
      await rm(join(folder, 'aas.yaml'));
      expect(await run('init', name)).toMatchObject({ code: 0, stdout: '' });
    }
    const checked = rows(await run('validate', 'agents')) as { file: string; valid: boolean }[];
    expect(checked).toHaveLength(templates.flatMap(({ files }) => files).length);
    expect(checked.filter(({ valid }) => !valid)).toEqual([]);
    expect(await run('init')).toMatchObject({ code: 5 });
  });

  it('are checked as a whole before anything is applied', async () => {
    await write('agents/good.yaml', greeter(`good-${projects}`, 'Hi'));
    await write('agents/bad.yaml', 'name: bad\nstesp: []\n');
    const checked = await run('validate', 'agents');
    expect(checked.code).toBe(1);
    expect(rows(checked)).toMatchObject([
      { file: join('agents', 'bad.yaml'), valid: false, errors: expect.any(Array) },
      { file: join('agents', 'good.yaml'), valid: true, errors: [] },
    ]);
    expect(await run('apply', 'agents')).toMatchObject({ code: 1 });
    expect(await aas.run(['agents', 'get', `good-${projects}`])).toMatchObject({ code: 3 });
  });

  it('know each other before they are applied', async () => {
    const [parent, child] = [`parent-${projects}`, `child-${projects}`];
    const calling = (agent: string): string =>
      `name: ${parent}\nmodel: { provider: none, name: m }\ninstructions: Hi\ntools: [{ name: ask, type: agent, agent: ${agent} }]\n`;
    await write('agents/child.yaml', greeter(child, 'Hi'));
    await write('agents/parent.yaml', calling(child));
    const known = await run('validate', 'agents');
    expect(known.stderr).not.toContain('There is no agent');
    const alone = await run('validate', 'agents/parent.yaml');
    expect(alone.stderr).toContain(`There is no agent "${child}" in this workspace`);
    await write('agents/parent.yaml', calling('stranger'));
    expect((await run('validate', 'agents')).stderr).toContain('There is no agent "stranger" in this workspace');
  });

  it.each([
    ['has a wrong name', (name: string) => greeter(`Bad ${name}`, 'Hi'), /^agents.bad\.yaml:2:\d+: error: .*name/m],
    ['is not YAML', (name: string) => `name: ${name}\nsteps: [\n`, /^agents.bad\.yaml:\d+:\d+: error: ./m],
  ])('are compared only if no file %s', async (_title, bad, mistake) => {
    const name = `invalid-${projects}`;
    await write('agents/bad.yaml', bad(name));
    await write('agents/good.yaml', greeter(`good-${projects}`, 'Hi'));
    for (const format of [[], ['-o', 'json'], ['--format', 'markdown']]) {
      const outcome = await aas.run(['diff', 'agents', ...format], { cwd: folder });
      expect(outcome).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(mistake) });
      expect(failureIn(outcome)).toMatchObject({
        where: join('agents', 'bad.yaml'),
        remedy: 'Correct the files. Nothing was compared.',
      });
    }
  });

  it('are applied byte by byte, and once', async () => {
    const name = `bytes-${projects}`;
    await write('agents/a.yaml', greeter(name, 'Hi'));
    expect(await run('diff', 'agents')).toMatchObject({ code: 1 });
    expect(rows(await run('apply', 'agents'))).toMatchObject([{ agent: name, action: 'created', version: 1 }]);
    expect((await aas.run(['versions', 'get', `${name}@1`, '--definition'])).stdout).toBe(greeter(name, 'Hi'));
    expect(rows(await run('apply', 'agents'))).toMatchObject([{ action: 'unchanged', version: 1 }]);
    expect(await run('diff', 'agents')).toMatchObject({ code: 0 });
    await write('agents/a.yaml', greeter(name, 'Hello'));
    expect(rows(await run('apply', 'agents', '--promote'))).toMatchObject([
      { action: 'updated', version: 2, production_version: 2 },
    ]);
    expect(await aas.json(['rollback', name])).toMatchObject({ production_version: 1 });
  });

  it('are applied with their warnings', async () => {
    const name = `warned-${projects}`;
    const text = (greeting: string) => `${greeter(name, greeting)}hand_off: { to: [no-such-team] }\n`;
    for (const greeting of ['Hi', 'Hello']) {
      await write('agents/a.yaml', text(greeting));
      const { stderr } = await run('apply', 'agents');
      expect(stderr).toMatch(/^agents.a\.yaml:\d+:\d+: warning: There is no group "no-such-team", /m);
    }
    expect((await run('apply', 'agents')).stderr).not.toContain('warning');
  });

  it('are applied after the fixtures beside aas.yaml, of which only changed ones are sent', async () => {
    await mkdir(join(folder, 'fixtures'));
    await write('agents/a.yaml', greeter(`fixed-${projects}`, 'Hi'));
    await write('fixtures/orders.csv', 'id,total\n1,40\n');
    await write('fixtures/no-agent.json', '{"name":"no-agent","steps":[]}');
    const stored = async () =>
      (await aas.json<{ data: { name: string; file: { id: string } }[] }>(['api', 'GET', '/v1/fixtures?order=asc']))
        .data;
    const applied = () => aas.run(['apply', '.'], { cwd: folder });

    const first = await applied();
    expect([first.code, first.stderr + first.stdout]).toEqual([
      0,
      expect.stringContaining('+ create the fixture orders.csv'),
    ]);
    const before = await stored();
    expect(before.map(({ name }) => name).sort()).toEqual(['no-agent.json', 'orders.csv']);

    const again = await applied();
    expect(again.stderr + again.stdout).not.toContain('fixture');
    await write('fixtures/orders.csv', 'id,total\n1,90\n');
    const changed = await applied();
    expect(changed.stderr + changed.stdout).toContain('~ replace the fixture orders.csv');
    expect(changed.stderr + changed.stdout).not.toContain('no-agent');
    const idOf = (rows: typeof before, wanted: string) => rows.find(({ name }) => name === wanted)?.file.id;
    const after = await stored();
    expect(idOf(after, 'no-agent.json')).toBe(idOf(before, 'no-agent.json'));
    expect(idOf(after, 'orders.csv')).not.toBe(idOf(before, 'orders.csv'));

    await write('fixtures/not a name', '');
    expect(await applied()).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be a fixture') });
  });

  it('replace a version that was made elsewhere only with --overwrite', async () => {
    const name = `elsewhere-${projects}`;
    await write('agents/a.yaml', greeter(name, 'Hi'));
    await run('apply', 'agents');
    const { id } = await aas.json<{ id: string }>(['agents', 'get', name]);
    const body = { name, steps: [{ id: 'result', output: { edited: true } }] };
    await scene.stack.client.expect('POST', `/v1/agents/${id}/versions`, body);
    await write('agents/a.yaml', greeter(name, 'Hello'));
    const refused = await run('apply', 'agents');
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('+    output: { greeting') });
    expect((await agent(name)).latest_version).toBe(2);
    expect(rows(await run('apply', 'agents', '--overwrite'))).toMatchObject([{ action: 'updated', version: 3 }]);
  });

  it('archive only agents of their own project, and only with --prune', async () => {
    const [kept, left, foreign] = ['kept', 'left', 'foreign'].map((each) => `${each}-${projects}`) as [
      string,
      string,
      string,
    ];
    await scene.stack.client.createAgent({ name: foreign, steps: [{ id: 'result', output: {} }] });
    await write('agents/a.yaml', greeter(kept, 'Hi'));
    await write('agents/b.yaml', greeter(left, 'Hi'));
    await run('apply', 'agents');
    await rm(join(folder, 'agents/b.yaml'));
    await run('apply', 'agents');
    expect((await agent(left)).status).toBe('active');
    expect(rows(await run('apply', 'agents', '--prune'))).toMatchObject([
      { agent: kept, action: 'unchanged' },
      { agent: left, action: 'archived' },
    ]);
    expect((await agent(foreign)).status).toBe('active');
    await rm(join(folder, 'agents/a.yaml'));
    expect(await run('apply', 'agents', '--prune')).toMatchObject({ code: 2, stdout: '' });
    expect((await agent(kept)).status).toBe('active');
  });

  it('reach the same state when apply is killed on the way and repeated', async () => {
    const names = Array.from({ length: 4 }, (_, n) => `killed-${projects}-${n}`);
    for (const text of ['Hi', 'Hello']) {
      for (const name of names) await write(`agents/${name}.yaml`, greeter(name, text));
      for (const after of ['Plan', 'Plan', 'create', 'new version']) {
        const child = aas.start(['apply', 'agents'], { cwd: folder });
        child.stderr?.on('data', (part) => String(part).includes(after) && child.kill('SIGKILL'));
        await outcomeOf(child);
      }
      expect(await run('apply', 'agents')).toMatchObject({ code: 0 });
    }
    for (const name of names) {
      expect((await agent(name)).latest_version).toBe(2);
      expect((await aas.run(['versions', 'get', `${name}@2`, '--definition'])).stdout).toBe(greeter(name, 'Hello'));
    }
  });

  it('are applied once through a proxy that breaks connections', async () => {
    const names = ['broken', 'cut'].map((each) => `${each}-${projects}`);
    const faults: Fault[] = ['before', 'after', 'within'];
    let turn = 0;
    const proxy = await FaultProxy.open(
      () => scene.stack.baseUrl,
      ({ method, headers, times }) =>
        times > 1 || (method === 'POST' && headers['idempotency-key'] === undefined)
          ? undefined
          : faults[turn++ % faults.length],
    );
    for (const [n, greeting] of ['Hi', 'Hello'].entries()) {
      for (const name of names) await write(`agents/${name}.yaml`, greeter(name, greeting));
      const outcome = await aas.run(['apply', 'agents'], { cwd: folder, env: { AAS_URL: proxy.url } });
      expect(outcome).toMatchObject({ code: 0 });
      for (const name of names) expect((await agent(name)).latest_version).toBe(n + 1);
    }
    expect(turn).toBeGreaterThan(5);
    await proxy.close();
  });

  it('are compared for a pull request, capability changes first', async () => {
    const name = `compared-${projects}`;
    const tool = (method: string): string =>
      `${greeter(name, 'Hi')}tools:\n  - { name: shop, type: http, base_url: 'https://shop.example.com', operations: [{ name: do, method: ${method}, path: /x }] }\n`;
    await write('agents/a.yaml', tool('GET'));
    await run('apply', 'agents');
    await write('agents/a.yaml', tool('POST'));
    const { code, stdout } = await aas.run(['diff', 'agents', '--format', 'markdown'], { cwd: folder });
    expect(code).toBe(1);
    expect(stdout.indexOf('| severity |')).toBeGreaterThan(0);
    expect(stdout.indexOf('| severity |')).toBeLessThan(stdout.indexOf('<details>'));
  });

  it('are pulled byte by byte; files that were changed here are conflicts', async () => {
    const name = `pulled-${projects}`;
    await write('agents/a.yaml', greeter(name, 'Hi'));
    await run('apply', 'agents');
    await write('agents/a.yaml', greeter(name, 'Changed'));
    expect(await run('pull')).toMatchObject({ code: 5 });
    expect(rows(await run('pull', '--overwrite'))).toMatchObject([{ agent: name, action: 'updated' }]);
    expect(await readFile(join(folder, 'agents/a.yaml'), 'utf8')).toBe(greeter(name, 'Hi'));
  });
});
