import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CommandLine, outcomeOf } from '../support/command-line.js';
import { CommandScene, linesOf, objectsOf, type PrintedObject } from '../support/command-scene.js';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';
import type { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

const aGreeter = (name: string): { name: string; steps: { id: string; output: { greeting: string } }[] } => ({
  name,
  steps: [{ id: 'result', output: { greeting: 'Hello' } }],
});

const ESCAPE = '\u001b[31m';

describe('the command line', () => {
  let commands: CommandScene;
  let scene: Scene;
  let aas: CommandLine;
  let folder: string;

  beforeAll(async () => {
    commands = await CommandScene.start();
    ({ scene, aas, folder } = commands);
    const { client } = scene.stack;
    for (const name of ['greeter', 'desk']) await client.createAgent(aGreeter(name));
    await client.createAgent(aToolAgent('hanging', scene.ledger.url, [['read', '/hanging']]));
  });
  afterAll(() => commands.stop());

  describe('keeps sessions', () => {
    let computer: CommandLine;
    beforeAll(async () => {
      computer = await CommandLine.open();
    });
    afterAll(() => computer.close());

    const file = () => join(computer.home, '.config/aas/contexts.json');

    it('with a key from standard input, in a file of this person alone', async () => {
      const { baseUrl, adminKey, workspaceId } = scene.stack;
      const signedIn = await computer.run(['login', `${baseUrl}/v1/`, '--with-key', '--name', 'here'], {
        input: `${adminKey}\n`,
      });
      expect(signedIn).toMatchObject({
        code: 0,
        stdout: '',
        stderr: expect.stringContaining(`Signed in to ${baseUrl},`),
      });
      expect(signedIn.stderr).not.toContain(adminKey.slice(12));
      expect((await stat(file())).mode & 0o777).toBe(0o600);
      expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual({
        current: 'here',
        contexts: { here: { address: baseUrl, api_key: adminKey } },
      });
      expect(await computer.json(['whoami'])).toMatchObject({ role: 'admin', workspace: { id: workspaceId } });
      expect((await computer.run(['whoami', '-o', 'name'])).stdout).toBe('admin@example.com\n');
    });

    it('for the address of the key only', async () => {
      const elsewhere = await FaultProxy.open(() => scene.stack.baseUrl);
      expect(await computer.run(['whoami'], { env: { AAS_URL: elsewhere.url } })).toMatchObject({ code: 4 });
      expect(elsewhere.requests).toEqual([]);
      expect(await computer.run(['whoami'], { env: { AAS_URL: `${scene.stack.baseUrl}/` } })).toMatchObject({
        code: 0,
      });
      await elsewhere.close();
    });

    it('of several services, one of them in use', async () => {
      const { baseUrl, adminKey } = scene.stack;
      const added = await computer.run(['context', 'add', 'again', baseUrl], { input: adminKey });
      expect(added).toMatchObject({ code: 0, stdout: '' });
      expect((await computer.run(['context', 'list', '-o', 'name'])).stdout).toBe('here\nagain\n');
      await computer.run(['context', 'use', 'here']);
      expect(await computer.json(['context', 'list'])).toEqual([
        { name: 'here', address: baseUrl, current: true },
        { name: 'again', address: baseUrl, current: false },
      ]);
      expect((await computer.run(['context', 'list'])).stdout).not.toContain(adminKey.slice(12));
      expect(await computer.run(['status', '--context', 'again'])).toMatchObject({ code: 0 });
      expect(await computer.run(['logout'])).toMatchObject({ code: 0, stdout: '' });
      expect(await computer.run(['whoami'])).toMatchObject({ code: 4 });
      await computer.run(['logout', 'again']);
      expect(await readFile(file(), 'utf8')).not.toContain(adminKey);
    });

    it('and says what is wrong with their file', async () => {
      await writeFile(file(), '{ "current"');
      const { code, stdout, stderr } = await computer.run(['whoami']);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(file());
    });
  });

  it('signs in through a browser that it opens, and the listener takes only the code of its own request', async () => {
    const computer = await CommandLine.open();
    const note = join(folder, 'opened');
    const browser = join(folder, 'browser.sh');
    await writeFile(browser, `#!/bin/sh\nprintf '%s' "$1" > '${note}.part' && mv '${note}.part' '${note}'\n`);
    await chmod(browser, 0o755);
    const child = computer.start(['login', scene.stack.baseUrl, '--name', 'laptop'], { env: { BROWSER: browser } });
    const ended = outcomeOf(child);
    const address = new URL(await eventually(() => readFile(note, 'utf8')));
    const { port, challenge, state, name } = Object.fromEntries(address.searchParams);
    const { code } = await new BrowserSession(scene.stack.baseUrl).authorise(scene.stack.adminKey, {
      challenge: challenge ?? '',
      name: name ?? '',
    });
    const answers = [
      `?code=x&state=other`,
      `other?code=x&state=${state}`,
      `?state=${state}`,
      `?code=${code}&state=${state}`,
    ];
    const statuses: number[] = [];
    for (const query of answers) statuses.push((await fetch(`http://127.0.0.1:${port}/${query}`)).status);
    expect(statuses).toEqual([404, 404, 404, 200]);
    const { code: exitCode, stdout, stderr } = await ended;
    expect([exitCode, stdout]).toEqual([0, '']);
    const stored = JSON.parse(await readFile(join(computer.home, '.config/aas/contexts.json'), 'utf8')) as {
      contexts: { laptop: { api_key: string; key_id: string } };
    };
    const { api_key: key, key_id: id } = stored.contexts.laptop;
    expect(stderr + address.href).not.toContain(key);
    expect(await commands.json(['api', 'GET', `/v1/api-keys/${id}`])).toMatchObject({ name: `CLI on ${name}` });
    expect(await computer.run(['logout'])).toMatchObject({ code: 0 });
    await commands.refusesKey(key);
    await computer.close();
  });

  it('signs in without a browser with the code that the page shows', async () => {
    const computer = await CommandLine.open();
    const child = computer.start(['login', scene.stack.baseUrl, '--no-browser']);
    let seen = '';
    child.stderr?.on('data', (part) => (seen += String(part)));
    const ended = outcomeOf(child);
    const [, page = ''] = await eventually(() => {
      const found = /at (http\S+)\n/.exec(seen);
      if (!found) throw new Error(seen);
      return found;
    });
    const { challenge = '', name = '', port } = Object.fromEntries(new URL(page).searchParams);
    expect(port).toBeUndefined();
    const { code } = await new BrowserSession(scene.stack.baseUrl).authorise(scene.stack.adminKey, { challenge, name });
    child.stdin?.end(`${code}\n`);
    expect(await ended).toMatchObject({ code: 0, stdout: '' });
    expect(await computer.run(['whoami'])).toMatchObject({ code: 0 });
    await computer.close();
  });

  describe('prints', () => {
    it('the same rows as a table, as JSON, as YAML and as names', async () => {
      const listed = await commands.json<{ name: string }[]>(['agents', 'list', '--order', 'asc']);
      const names = listed.map(({ name }) => name);
      expect(names.slice(0, 3)).toEqual(['greeter', 'desk', 'hanging']);
      expect(parse(await commands.printed(['agents', 'list', '--order', 'asc', '-o', 'yaml']))).toEqual(listed);
      expect(linesOf(await commands.printed(['agents', 'list', '--order', 'asc', '-o', 'name']))).toEqual(names);
      const [title = '', ...table] = linesOf(await commands.printed(['agents', 'list', '--order', 'asc']));
      expect(title.split(/ {2,}/)).toEqual(['NAME', 'STATUS', 'PRODUCTION', 'LATEST', 'PROJECT', 'SPENT TODAY', 'ID']);
      expect(table.map((line) => line.split(/ +/)[0])).toEqual(names);
      expect(await commands.json(['agents', 'list', '--name', 'desk', '--limit', '1'])).toMatchObject([
        { name: 'desk' },
      ]);
    });

    it('an object as the API returns it', async () => {
      const agent = await commands.json(['agents', 'get', 'greeter']);
      expect(agent).toEqual(await scene.stack.client.expect('GET', `/v1/agents/${agent.id}`));
      expect(parse(await commands.printed(['agents', 'get', 'greeter', '-o', 'yaml']))).toEqual(agent);
      expect(await commands.printed(['agents', 'get', 'greeter', '-o', 'name'])).toBe('greeter\n');
    });

    it('control characters as escapes, and long texts whole, without colours', async () => {
      const reason = `${ESCAPE}red\u0007\u202e ${'and long '.repeat(60)}`;
      scene.ledger.script('/hanging', { hang: true });
      const { id } = await commands.json(['runs', 'start', 'hanging']);
      await commands.printed(['runs', 'cancel', id, '--reason', reason]);
      scene.ledger.release('/hanging');
      for (const format of ['table', 'json', 'yaml', 'name']) {
        const text = await commands.printed(['runs', 'get', id, '-o', format], { env: { FORCE_COLOR: '1' } });
        // oxlint-disable-next-line no-control-regex -- looks for them
        expect([format, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/.test(text)]).toEqual([format, false]);
      }
      expect(await commands.printed(['runs', 'get', id])).toContain('and long '.repeat(60).trim());
      expect((await commands.json(['runs', 'get', id])).cancel_reason).toBe(reason);
      const { stderr } = await commands.run(['agents', 'get', `${ESCAPE}nothing`]);
      expect(stderr).toContain('\\u001b[31mnothing');
      expect(stderr).not.toContain('\u001b');
    });

    it('no words with --quiet', async () => {
      await mkdir(join(folder, 'quiet'));
      expect(await commands.run(['init', '--quiet'], { cwd: join(folder, 'quiet') })).toEqual({
        code: 0,
        stdout: '',
        stderr: '',
      });
    });

    it('the tools that the key sees, and the settings of assistants without a key', async () => {
      const tools = await commands.json(['mcp', 'tools', '--author']);
      expect(tools).toContainEqual(expect.objectContaining({ name: 'validate_definition' }));
      const config = await commands.printed(['mcp', 'config', 'claude-code', '--author']);
      expect(JSON.parse(config)).toMatchObject({
        mcpServers: { 'aas-author': { type: 'http', url: expect.stringMatching(/\/v1\/mcp\/author$/) } },
      });
      for (const client of ['codex', 'cursor', 'vscode']) {
        const text = await commands.printed(['mcp', 'config', client]);
        expect(text).toContain('AAS_API_KEY');
        expect(text).not.toContain('aas_live_');
      }
      expect(await commands.run(['mcp', 'config', 'emacs'])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('claude-code, codex, cursor, vscode'),
      });
    });

    it('the folder of the skill, and overwrites no file that differs', async () => {
      const cwd = join(folder, 'skilled');
      await mkdir(cwd);
      const path = '.claude/skills/agent-authoring';
      const skill = join(cwd, path, 'SKILL.md');
      const install = () => commands.printed(['skill', 'install'], { cwd });
      expect([await install(), await install()]).toEqual([`${path}\n`, `${path}\n`]);
      const text = await readFile(skill, 'utf8');
      expect(text).toMatch(/^---\nname: agent-authoring\n/);
      await writeFile(skill, 'mine');
      expect(await commands.run(['skill', 'install'], { cwd })).toMatchObject({ code: 5 });
      expect(await readFile(skill, 'utf8')).toBe('mine');
      await commands.run(['skill', 'install', '--overwrite'], { cwd });
      expect(await readFile(skill, 'utf8')).toBe(text);
      expect(await commands.printed(['skill', 'install', '--to', 'elsewhere'], { cwd })).toBe(
        'elsewhere/agent-authoring\n',
      );
    });

    it('AGENTS.md with a new project, unless it exists', async () => {
      const cwd = join(folder, 'instructed');
      await mkdir(cwd);
      await writeFile(join(cwd, 'AGENTS.md'), 'mine');
      expect(await commands.run(['init'], { cwd })).toMatchObject({ code: 0 });
      expect(await readFile(join(cwd, 'AGENTS.md'), 'utf8')).toBe('mine');
      const other = join(folder, 'uninstructed');
      await mkdir(other);
      await commands.run(['init'], { cwd: other });
      expect(await readFile(join(other, 'AGENTS.md'), 'utf8')).toContain('aas apply agents');
    });

    it('each row of a long list when it arrives, so that its memory does not grow with the list', async () => {
      const total = 10_000;
      const filler = 'x'.repeat(8_192);
      let pages = 0;
      const server = createServer((request, response) => {
        const from = Number(new URL(request.url ?? '', 'http://service').searchParams.get('cursor') ?? 0);
        const data = Array.from({ length: 100 }, (_, n) => ({ id: `mem_${from + n}`, email: filler, role: 'viewer' }));
        pages += 1;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ data, ...(from + 100 < total && { next_cursor: String(from + 100) }) }));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const AAS_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      // The heap of the command is limited to 32 MiB. All rows of the output together are several times as large.
      const env = { AAS_URL, NODE_OPTIONS: '--max-old-space-size=32' };
      for (const format of ['name', 'json', 'table']) {
        const child = aas.start(['members', 'list', '-o', format], { env });
        child.stdin?.end();
        let size = 0;
        let breaks = 0;
        child.stdout?.on('data', (part: Buffer) => {
          size += part.length;
          for (const byte of part) if (byte === 10) breaks += 1;
        });
        const [code] = (await once(child, 'close')) as [number];
        expect([format, code, breaks]).toEqual([format, 0, total + (format === 'name' ? 0 : 1)]);
        expect(size).toBeGreaterThan(format === 'name' ? 80_000 : total * filler.length);
      }
      pages = 0;
      expect(
        linesOf(await commands.printed(['members', 'list', '--limit', '250', '-o', 'name'], { env })),
      ).toHaveLength(250);
      expect(pages).toBeLessThanOrEqual(4);
      server.close();
      server.closeAllConnections();
    });
  });

  describe('api', () => {
    it('sends any request and prints its body', async () => {
      const me = JSON.parse(await commands.printed(['api', 'GET', '/v1/me'])) as PrintedObject;
      expect(me).toEqual(await scene.stack.client.expect('GET', '/v1/me'));
      expect(JSON.parse(await commands.printed(['api', 'get', 'v1/me']))).toEqual(me);
      await commands.write('group.json', '{"name": "by-api", "members": []}');
      expect(JSON.parse(await commands.printed(['api', 'POST', '/v1/groups', '--input', 'group.json']))).toMatchObject({
        name: 'by-api',
      });
      const definition = 'name: by-api\nsteps: [{ id: result, output: {} }]\n';
      const created = await commands.printed(['api', 'POST', '/v1/agents', '--input', '-'], { input: definition });
      expect(JSON.parse(created)).toMatchObject({ name: 'by-api' });
      expect(await commands.printed(['api', 'DELETE', '/v1/groups/by-api'])).toBe('');
      expect(await commands.printed(['api', 'GET', '/metrics'])).toMatch(/^aas_workers\S* \d/m);
    });

    it('follows the pages of a list, one a line', async () => {
      const pages = objectsOf(await commands.printed(['api', 'GET', '/v1/agents?limit=2&order=asc', '--paginate']));
      expect(pages.length).toBeGreaterThan(1);
      const names = pages.flatMap(({ data }) => (data as { name: string }[]).map(({ name }) => name));
      expect(names).toEqual(linesOf(await commands.printed(['agents', 'list', '--order', 'asc', '-o', 'name'])));
      expect(objectsOf(await commands.printed(['api', 'GET', '/v1/agents?limit=2']))).toHaveLength(1);
    });

    it('sends the key to no other address', async () => {
      const elsewhere = await FaultProxy.open(() => scene.stack.baseUrl);
      for (const path of [`${elsewhere.url}/v1/me`, `//${new URL(elsewhere.url).host}/v1/me`, '/../../etc/passwd'])
        expect([path, (await commands.run(['api', 'GET', path])).stdout]).toEqual([path, '']);
      expect(elsewhere.requests).toEqual([]);
      await elsewhere.close();
    });
  });

  it('shows ids in the console', async () => {
    const page = async (id: string) => (await commands.printed(['open', id])).trim();
    const { id } = await commands.json(['agents', 'get', 'greeter']);
    expect(await page('greeter')).toBe(`${scene.stack.baseUrl}/console/agents/${id}`);
    expect(await page('run_01kahzvk3te9d8q6f0f1v3m2sx')).toMatch(/\/console\/runs\/run_01kahzvk3te9d8q6f0f1v3m2sx$/);
  });

  it.each(['bash', 'zsh', 'fish'])('prints the completion of %s', async (shell) => {
    const script = await commands.printed(['completion', shell]);
    for (const word of ['runs', 'tail', '--follow', 'push', '--if-revision']) expect(script).toContain(word);
  });

  it('completes commands and options in bash', async () => {
    const script = await commands.write('completion.bash', await commands.printed(['completion', 'bash']));
    const completed = async (...words: string[]): Promise<string[]> => {
      const quoted = words.map((word) => `'${word}'`).join(' ');
      const bash = `. ./${script}; COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _aas; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return linesOf((await aas.shell(bash, { cwd: folder })).stdout);
    };
    expect(await completed('aas', 'ru')).toEqual(['runs']);
    expect(await completed('aas', 'runs', 'st')).toEqual(['start']);
    expect(await completed('aas', 'runs', 'start', 'greeter', '--fo')).toEqual(['--follow']);
    expect(await completed('aas', 'kb', 'sources', 'a')).toEqual(['add', 'authorize']);
  });

  it('manages members, groups and keys', async () => {
    const member = await commands.json(['members', 'add', 'bob@example.com', '--role', 'viewer']);
    expect(await commands.json(['members', 'update', member.id, '--role', 'operator'])).toMatchObject({
      role: 'operator',
    });
    expect(linesOf(await commands.printed(['members', 'list', '-o', 'name']))).toContain(member.id);
    const invitation = await commands.json(['members', 'invite', member.id]);
    expect(invitation.url).toMatch(/\/console\/sign-in#/);
    expect(await commands.json(['groups', 'create', 'support', '--member', 'bob@example.com'])).toMatchObject({
      members: ['bob@example.com'],
    });
    expect(await commands.json(['groups', 'update', 'support'])).toMatchObject({ members: [] });
    expect(linesOf(await commands.printed(['groups', 'list', '-o', 'name']))).toContain('support');
    expect(await commands.json(['groups', 'get', 'support'])).toMatchObject({ name: 'support' });
    expect(await commands.printed(['groups', 'delete', 'support'])).toBe('');
    const key = await commands.json([
      'keys',
      'create',
      'ci',
      '--role',
      'viewer',
      '--scope',
      'agents:read',
      '--kind',
      'test',
    ]);
    expect(key).toMatchObject({ name: 'ci', kind: 'test', member: 'admin@example.com', scopes: ['agents:read'] });
    expect(await commands.printed(['keys', 'list'])).toContain(key.last_four);
    expect(await commands.printed(['keys', 'list', '-o', 'json'])).not.toContain(key.key);
    const rotated = await commands.json(['keys', 'rotate', key.id, '--grace-seconds', '0']);
    expect(rotated.key).not.toBe(key.key);
    expect(await commands.printed(['keys', 'revoke', key.id])).toBe('');
    await commands.refusesKey(rotated.key);
    expect(await commands.printed(['members', 'remove', member.id])).toBe('');
  });

  it('sets secrets from standard input, and shows only their names', async () => {
    const set = await commands.run(['secrets', 'set', 'TOKEN'], { input: 'very-hidden\n' });
    expect(set).toEqual({ code: 0, stdout: '', stderr: 'Secret TOKEN is set.\n' });
    for (const format of ['table', 'json', 'yaml', 'name']) {
      const text = await commands.printed(['secrets', 'list', '-o', format]);
      expect(text).toContain('TOKEN');
      expect(text).not.toContain('hidden');
    }
    expect(await commands.printed(['secrets', 'delete', 'TOKEN'])).toBe('');
    expect(await commands.json(['secrets', 'list'])).toEqual([]);
  });

  it('reports usage and audit events', async () => {
    const since = ['--since', '1h'];
    await commands.printed(['runs', 'start', 'greeter', '--wait']);
    expect(await commands.json(['usage', '--group-by', 'agent', ...since, '--agent', 'greeter'])).toMatchObject({
      group_by: 'agent',
    });
    await eventually(async () =>
      expect(linesOf(await commands.printed(['usage', ...since])).length).toBeGreaterThan(1),
    );
    const events = await commands.json<PrintedObject[]>([
      'audit',
      '--action',
      'member.create',
      '--actor',
      'admin@example.com',
      ...since,
    ]);
    expect(events.length).toBeGreaterThan(0);
    expect(events.every(({ action }) => action === 'member.create')).toBe(true);
    expect(await commands.json(['audit', '--until', '1h'])).toEqual([]);
  });

  it('showed the key of the admin nowhere', () => {
    const key = scene.stack.adminKey.slice(12);
    expect(commands.outcomes.length).toBeGreaterThan(50);
    expect(commands.outcomes.filter(({ stdout, stderr }) => (stdout + stderr).includes(key))).toEqual([]);
  });
});

/** Sends the same requests as the console when a person authorises the CLI on a computer. */
class BrowserSession {
  constructor(private readonly address: string) {}

  async authorise(apiKey: string, body: { challenge: string; name: string }): Promise<{ code: string }> {
    const signedIn = await this.post('/auth/key', { api_key: apiKey });
    const [cookie = ''] = signedIn.headers.getSetCookie().map((each) => each.split(';')[0]);
    return (await (await this.post('/auth/cli', body, { cookie })).json()) as { code: string };
  }

  private async post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
    const response = await fetch(`${this.address}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: this.address, ...headers },
      body: JSON.stringify(body),
    });
    expect([path, response.status]).toEqual([path, 200]);
    return response;
  }
}
