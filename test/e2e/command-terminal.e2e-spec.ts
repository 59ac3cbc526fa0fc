import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@app/kernel';
import { CommandLine } from '../support/command-line.js';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

/** An agent that asks the group `finance` before it pays. */
const aPayer = (url: string): JsonObject => ({
  ...aToolAgent('payer', url, [['write', '/pay']]),
  policies: [{ name: 'pay', when: 'tool.scope == "write"', action: 'require_approval', approval: 'finance' }],
  approvals: { finance: { approvers: ['finance'], timeout: '1h' } },
});

/**
 * Runs a command in the terminal. Then prints its exit code and the settings of the terminal, which show whether typed
 * characters are visible and are read line by line. The shell stays until the terminal is closed, because the last
 * output of a program that ends at once may be lost.
 */
const watched = (command: string): string => `${command}; echo "code=$?"; stty -a; read -r _`;
const ESCAPE = '\u001b';
const RESTORED = /code=(\d+)\s[\s\S]*\sicanon\s[\s\S]*\secho\s/;

describe('the command line at a terminal', () => {
  let scene: Scene;
  let aas: CommandLine;
  let eve: Record<string, string>;

  beforeAll(async () => {
    scene = await Scene.start();
    aas = await CommandLine.open({ AAS_URL: scene.stack.baseUrl, AAS_API_KEY: scene.stack.adminKey });
    const { client } = scene.stack;
    await client.createAgent(aPayer(scene.ledger.url));
    await client.createAgent(aToolAgent('hanging', scene.ledger.url, [['read', '/hanging']]));
    await client.expect('POST', '/v1/members', { email: 'eve@example.com', role: 'operator' });
    await client.expect('POST', '/v1/groups', { name: 'finance', members: ['eve@example.com'] });
    const body = { name: 'eve', kind: 'live', role: 'operator', member: 'eve@example.com' };
    eve = { AAS_API_KEY: (await client.expect<{ key: string }>('POST', '/v1/api-keys', body)).key };
  });
  afterEach(() => scene.ledger.reset());
  afterAll(async () => {
    await aas.close();
    await scene.stop();
  });

  const openApproval = async (): Promise<string> => {
    const { id } = await aas.json<{ id: string }>(['runs', 'start', 'payer']);
    return eventually(async () => {
      const { data } = await scene.stack.client.expect<{ data: { id: string }[] }>('GET', `/v1/runs/${id}/approvals`);
      expect(data).toHaveLength(1);
      return data[0]!.id;
    });
  };
  const statusOf = async (id: string) => (await aas.json<{ status: string }>(['approvals', 'show', id])).status;

  it.each([
    ['y', 0, 'approved'],
    ['n', 1, 'open'],
    ['', 1, 'open'],
  ])('shows the request and asks: %j ends with %d', async (answer, code, status) => {
    const id = await openApproval();
    const terminal = await aas.terminal(watched(`aas approvals approve ${id} -q`), { env: eve });
    await terminal.shows(/approve\? \[y\/N\]: /);
    expect(terminal.text).toMatch(/tool +tool\.write/);
    expect(terminal.text).toMatch(/request +\{"place":"pay"\}/);
    terminal.type(answer);
    terminal.press('enter');
    await terminal.shows(RESTORED);
    expect(RESTORED.exec(terminal.text)?.[1]).toBe(String(code));
    expect(await statusOf(id)).toBe(status);
  });

  it('decides nothing at the end of the input, and asks nothing with --no-input', async () => {
    const id = await openApproval();
    const ended = await aas.terminal(`aas approvals reject ${id}`, { env: eve });
    await ended.shows(/reject\? \[y\/N\]: /);
    ended.press('endOfInput');
    expect(await ended.ended()).toBe(1);
    const unasked = await aas.terminal(`aas approvals reject ${id} --no-input`, { env: eve });
    expect(await unasked.ended()).toBe(2);
    expect(unasked.text).not.toContain('[y/N]');
    expect(await statusOf(id)).toBe('open');
  });

  it('hides a secret that is typed', async () => {
    const terminal = await aas.terminal(watched('aas secrets set TOKEN'));
    await terminal.shows(/Value: $/);
    terminal.type('very-hidden');
    terminal.press('enter');
    await terminal.shows(RESTORED);
    expect(terminal.text).toContain('Secret TOKEN is set.');
    expect(terminal.text).not.toContain('hidden');
  });

  it('hides an API key that is typed', async () => {
    const { baseUrl, adminKey } = scene.stack;
    const terminal = await aas.terminal(watched(`aas login ${baseUrl} --with-key --name typed`));
    await terminal.shows(/API key: $/);
    terminal.type(adminKey);
    terminal.press('enter');
    await terminal.shows(RESTORED);
    expect(terminal.text).toContain('Context: typed.');
    expect(terminal.text).not.toContain(adminKey.slice(12));
    const contexts = await readFile(join(aas.home, '.config/aas/contexts.json'), 'utf8');
    expect(JSON.parse(contexts)).toMatchObject({ contexts: { typed: { api_key: adminKey } } });
  });

  it.each([
    ['secrets set TOKEN', /Value: $/],
    ['login http://127.0.0.1:9 --with-key', /API key: $/],
  ])('restores the terminal after Ctrl-C in the prompt of `aas %s`', async (command, prompt) => {
    const terminal = await aas.terminal(watched(`aas ${command}`));
    await terminal.shows(prompt);
    terminal.type('half');
    terminal.press('interrupt');
    await terminal.shows(RESTORED);
    expect(RESTORED.exec(terminal.text)?.[1]).toBe('130');
    expect(terminal.text).not.toContain('half');
  });

  it('leaves the run alone after Ctrl-C, and says how to continue', async () => {
    scene.ledger.script('/hanging', { hang: true });
    const terminal = await aas.terminal('exec aas runs start hanging --wait');
    await terminal.shows(/Run run_\w+ has started\./);
    const [call] = await scene.ledger.called('/hanging');
    terminal.press('interrupt');
    expect(await terminal.ended()).toBe(130);
    expect(terminal.text).toContain(`Run ${call?.run} continues. Follow it with \`aas runs tail ${call?.run}\``);
    scene.ledger.release('/hanging');
  });

  it('shows titles in bold, lines no wider than the terminal, and neither with NO_COLOR or in a pipe', async () => {
    const shown = async (command: string, env: Record<string, string> = {}): Promise<string> => {
      const terminal = await aas.terminal(command, { columns: 60, env });
      expect(await terminal.ended()).toBe(0);
      return terminal.text;
    };
    const lines = (await shown('aas agents list')).split('\r\n');
    expect(lines[0]?.startsWith(`${ESCAPE}[1mNAME `) && lines[0].endsWith(`${ESCAPE}[22m`)).toBe(true);
    expect(lines[1]).toMatch(/…$/);
    const codes = `${ESCAPE}[1m${ESCAPE}[22m`.length;
    expect(lines.filter((line, n) => line.length > 60 + (n === 0 ? codes : 0))).toEqual([]);
    expect(await shown('aas agents list', { NO_COLOR: '1' })).not.toContain(ESCAPE);
    const piped = await shown('aas agents list | cat');
    for (const mark of [ESCAPE, '…']) expect(piped).not.toContain(mark);
    expect(piped).toContain('agt_');
  });

  it('shows the progress of long work, and clears it', async () => {
    await aas.json(['kb', 'create', 'handbook']);
    await mkdir(join(aas.home, 'pages'));
    for (const name of ['one', 'two', 'three']) await writeFile(join(aas.home, `pages/${name}.md`), `# ${name}\n`);
    const terminal = await aas.terminal('aas kb push handbook pages -o name');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text).toMatch(/Pushing to handbook \[#+\.+\] 6\/20[\s\S]*Pushing to handbook \[#+\] 20\/20/);
    expect(terminal.text.split(`${ESCAPE}[2K`).at(-1)).toMatch(/^(syn_\w+\r\n){1,3}$/);
  });

  it('shows 50 rows of a list, and that there may be more', async () => {
    for (let n = 0; n < 51; n += 1)
      await scene.stack.client.expect('POST', '/v1/groups', { name: `group-${n}`, members: [] });
    const terminal = await aas.terminal('aas groups list -o name');
    expect(await terminal.ended()).toBe(0);
    expect(terminal.text.match(/group-\d+\r/g)).toHaveLength(50);
    expect(terminal.text).toContain('Only 50 rows are shown');
  });
});
