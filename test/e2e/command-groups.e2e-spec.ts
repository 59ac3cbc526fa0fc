import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@app/kernel';
import { parse } from 'yaml';
import { type CommandLine, type CommandOptions, outcomeOf } from '../support/command-line.js';
import { CommandScene, linesOf, objectsOf, type PrintedObject } from '../support/command-scene.js';
import { eventually } from '../support/eventually.js';
import type { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

interface Run {
  id: string;
  status: string;
  mode: string;
  output: JsonObject | null;
}

interface PushedSync extends PrintedObject {
  progress: { added: number };
}

interface Approval {
  id: string;
  status: string;
  request: JsonObject;
  request_revision: number;
  decisions: JsonObject[];
}

/** An agent that refunds the amount in its input after an approval. */
const aDesk = (url: string): JsonObject => ({
  name: 'desk',
  input: { type: 'object', required: ['amount'], properties: { amount: { type: 'number' } } },
  tools: [
    {
      name: 'orders',
      type: 'http',
      base_url: url,
      operations: [
        {
          name: 'refund',
          method: 'POST',
          path: '/refunds',
          request: { type: 'object', properties: { amount: { type: 'number' } } },
        },
      ],
    },
  ],
  policies: [{ name: 'refund', when: 'request.amount > 0.0', action: 'require_approval', approval: 'finance' }],
  approvals: { finance: { approvers: ['finance'], timeout: '1h' } },
  steps: [
    { id: 'refund', tool: 'orders.refund', with: { amount: '${{ input.amount }}' } },
    { id: 'result', output: { refunded: '${{ input.amount }}' } },
  ],
});

const aGreeter = (name: string, greeting: string): JsonObject => ({
  name,
  input: { type: 'object', properties: { name: { type: 'string' } } },
  steps: [{ id: 'result', output: { greeting: `${greeting} \${{ input.name }}` } }],
  evaluation: {
    cases: [{ name: 'Ada', input: { name: 'Ada' }, assert: [{ type: 'status', value: 'succeeded' }] }],
    gate: { max_age: '7d' },
  },
});

describe('the commands for runs, versions, approvals and knowledge', () => {
  let commands: CommandScene;
  let scene: Scene;
  let aas: CommandLine;
  let folder: string;

  beforeAll(async () => {
    commands = await CommandScene.start();
    ({ scene, aas, folder } = commands);
    const { client } = scene.stack;
    await client.createAgent(aGreeter('greeter', 'Hello'));
    await client.createAgent(aDesk(scene.ledger.url));
    await client.createAgent(aToolAgent('hanging', scene.ledger.url, [['read', '/hanging']]));
  });
  afterAll(() => commands.stop());

  const start = (agent: string, ...more: string[]): Promise<Run> =>
    commands.json<Run>(['runs', 'start', agent, ...more]);

  describe('runs', () => {
    it('are started with inputs of texts, values and files', async () => {
      await commands.write('input.yaml', 'name: Ada\n');
      const ended = ['--wait'];
      const greeting = async (...args: string[]) => (await start('greeter', ...args, ...ended)).output?.greeting;
      expect(await greeting('--input', 'name=Eve')).toBe('Hello Eve');
      expect(await greeting('--input-file', 'input.yaml')).toBe('Hello Ada');
      expect(await greeting('--input-file', 'input.yaml', '--input', 'name=Zoe')).toBe('Hello Zoe');
      const piped = await commands.json<Run>(['runs', 'start', 'greeter', '--input-file', '-', '--wait'], {
        input: '{"name": "Bob"}',
      });
      expect(piped.output).toEqual({ greeting: 'Hello Bob' });
      expect(await commands.json(['runs', 'start', 'desk', '--input', 'amount:=0', '--test'])).toMatchObject({
        mode: 'test',
      });
      expect(await start('greeter', '--input', 'name=Ada', '--version', '1')).toMatchObject({ version: 1 });
    });

    it('are listed by the filters of the API, and shown', async () => {
      const { id } = await start('greeter', '--input', 'name=Ada', '--wait');
      const found = async (...args: string[]) =>
        linesOf(await commands.printed(['runs', 'list', ...args, '-o', 'name']));
      expect(await found('--id', id)).toEqual([id]);
      expect(await found('--id', id, '--status', 'failed')).toEqual([]);
      expect(
        await found('--agent', 'greeter', '--status', 'succeeded', '--status', 'failed', '--since', '1h'),
      ).toContain(id);
      expect(await found('--agent', 'desk')).not.toContain(id);
      expect(await found('--limit', '1', '--trigger-type', 'api', '--mode', 'production', '--version', '1')).toEqual([
        id,
      ]);
      expect(await commands.json(['runs', 'get', id])).toEqual(await scene.stack.client.run(id));
      const trace = await commands.json<{ steps: object[] }>(['runs', 'trace', id]);
      expect(trace).toEqual(await scene.stack.client.trace(id));
      expect(linesOf(await commands.printed(['runs', 'trace', id]))).toHaveLength(trace.steps.length);
    });

    it('are followed until they have ended, one object a line', async () => {
      const events = objectsOf(
        await commands.printed(['runs', 'start', 'greeter', '--input', 'name=Ada', '--follow', '-o', 'json']),
      );
      expect(events.at(-1)).toMatchObject({ type: 'end' });
      const { run: id } = (events.at(-1) as unknown as { data: { run: string } }).data;
      const steps = events.filter(({ type }) => type === 'step').map(({ data }) => data);
      expect(steps).toEqual((await scene.stack.client.trace(id)).steps);
      const again = objectsOf(await commands.printed(['runs', 'tail', id, '-o', 'json']));
      expect(again.filter(({ type }) => type === 'step').map(({ data }) => data)).toEqual(steps);
      for (const tail of [
        ['runs', 'tail', id],
        ['logs', id],
      ])
        expect(linesOf(await commands.printed(tail)).at(-1)).toBe('run succeeded');
      const [first = ''] = (await commands.printed(['runs', 'tail', id, '-o', 'yaml'])).split('\n---\n');
      expect(parse(first)).toEqual(again[0]);
    });

    it('are shown as they change, until the person interrupts', async () => {
      const child = aas.start(['runs', 'tail', '--agent', 'greeter', '--status', 'succeeded', '-o', 'json']);
      const ended = outcomeOf(child);
      let seen = '';
      child.stdout?.on('data', (part) => (seen += String(part)));
      const started: string[] = [];
      // The command shows only runs that change after it has connected. The test therefore starts runs until the
      // command shows one.
      await eventually(
        async () => {
          started.push((await start('greeter', '--input', 'name=Ada', '--wait')).id);
          expect(seen).not.toBe('');
        },
        { within: 300_000 },
      );
      await start('desk', '--input', 'amount:=0', '--wait');
      const last = await start('greeter', '--input', 'name=Eve', '--wait');
      await eventually(() => expect(seen).toContain(last.id));
      child.kill('SIGINT');
      const { code, stdout } = await ended;
      expect(code).toBe(130);
      const shown = objectsOf(stdout);
      expect(shown.every((each) => each.agent_name === 'greeter' && each.status === 'succeeded')).toBe(true);
      const ids = shown.map(({ id }) => id);
      expect(ids.every((id) => [...started, last.id].includes(id))).toBe(true);
      expect(new Set(ids).size).toBe(ids.length);
    });

    it('are cancelled, and replayed in mode test unless --production', async () => {
      scene.ledger.script('/hanging', { hang: true });
      const { id } = await start('hanging');
      await scene.ledger.called('/hanging');
      expect(await commands.json(['runs', 'cancel', id, '--reason', 'enough'])).toMatchObject({
        id,
        cancel_reason: 'enough',
      });
      scene.ledger.release('/hanging');
      const first = await start('greeter', '--input', 'name=Ada', '--wait');
      expect(await commands.json(['runs', 'replay', first.id])).toMatchObject({ mode: 'test', replay_of: first.id });
      const again = await commands.json([
        'runs',
        'replay',
        first.id,
        '--production',
        '--from-step',
        'result',
        '--version',
        '1',
      ]);
      expect(again).toMatchObject({ mode: 'production', replay_of: first.id });
    });

    it('are listed by their parent, and name the runs that they wait for', async () => {
      const { client } = scene.stack;
      await client.createAgent(aToolAgent('sleeper', scene.ledger.url, [['read', '/sleeping']]));
      const tools = [{ name: 'sleeper', type: 'agent', agent: 'sleeper' }];
      await client.createAgent({ name: 'caller', tools, steps: [{ id: 'call', tool: 'sleeper.run' }] });
      scene.ledger.script('/sleeping', { hang: true });
      const { id } = await start('caller');
      await scene.ledger.called('/sleeping');
      const child = (await commands.printed(['runs', 'list', '--parent', id, '-o', 'name'])).trim();
      await eventually(async () =>
        expect(await commands.printed(['runs', 'list', '--id', id])).toContain(`queued (waits for child ${child})`),
      );
      const waiting = { for: 'child', runs: [{ id: child, agent_name: 'sleeper', status: 'running', for: null }] };
      expect(await commands.json(['runs', 'get', id])).toMatchObject({ waiting });
      expect(await commands.printed(['runs', 'trace', id])).toContain(`sleeper.run call ${child}`);
      scene.ledger.release('/sleeping');
    });
  });

  describe('versions', () => {
    it('are compared, evaluated, promoted and rolled back', async () => {
      const { id } = await commands.json(['agents', 'get', 'greeter']);
      await scene.stack.client.expect('POST', `/v1/agents/${id}/versions`, aGreeter('greeter', 'Good day'));
      expect(linesOf(await commands.printed(['versions', 'list', 'greeter', '-o', 'name']))).toEqual([
        `${id}@2`,
        `${id}@1`,
      ]);
      expect(await commands.json(['versions', 'get', 'greeter@2'])).toMatchObject({ version: 2, is_production: false });
      expect(JSON.parse(await commands.printed(['versions', 'get', 'greeter@2', '--definition']))).toEqual(
        aGreeter('greeter', 'Good day'),
      );
      const compared = await commands.run(['versions', 'diff', 'greeter@1', '2', '-o', 'json']);
      expect([compared.code, JSON.parse(compared.stdout)]).toMatchObject([1, { patch: [{ op: 'replace' }] }]);
      expect(await commands.json(['evaluate', 'greeter@2', '--wait'])).toMatchObject({ status: 'passed', version: 2 });
      expect(await commands.json(['promote', 'greeter@2'])).toMatchObject({
        production_version: 2,
        previous_version: 1,
      });
      expect(await commands.json(['rollback', 'greeter'])).toMatchObject({
        production_version: 1,
        previous_version: 2,
      });
    });

    it('belong to agents that are paused, resumed and archived', async () => {
      await scene.stack.client.createAgent(aGreeter('leaving', 'Bye'));
      expect(await commands.json(['agents', 'pause', 'leaving'])).toMatchObject({ status: 'paused' });
      expect(await commands.json(['agents', 'list', '--status', 'paused'])).toMatchObject([{ name: 'leaving' }]);
      expect(await commands.json(['agents', 'resume', 'leaving'])).toMatchObject({ status: 'active' });
      expect(await commands.json(['agents', 'archive', 'leaving'])).toMatchObject({ status: 'archived' });
      expect(await commands.run(['agents', 'get', 'leaving'])).toMatchObject({ code: 3 });
    });
  });

  it('lists, starts and logs triggers, and rotates their secret', async () => {
    const triggers: JsonObject[] = [
      { id: 'morning', type: 'schedule', cron: '0 7 * * *', timezone: 'Europe/Berlin', input: {} },
      { id: 'hook', type: 'webhook' },
    ];
    const agent = await scene.stack.client.createAgent({
      name: 'scheduled',
      triggers,
      steps: [{ id: 'result', output: {} }],
    });
    expect(linesOf(await commands.printed(['triggers', 'list', 'scheduled', '-o', 'name']))).toEqual([
      'morning',
      'hook',
    ]);
    expect(await commands.json(['triggers', 'run', 'scheduled', 'morning'])).toMatchObject({ agent });
    const waited = ['triggers', 'run', 'scheduled', 'morning', '--wait'];
    expect(await commands.json(waited)).toMatchObject({ agent, status: 'succeeded' });
    const { webhook_secret: secret } = await commands.json<{ webhook_secret: string }>([
      'webhook-secret',
      'rotate',
      'scheduled',
      '--grace-seconds',
      '0',
    ]);
    const sent = await scene.stack.client.call<{ run: string }>(
      'POST',
      `/v1/agents/${agent}/trigger`,
      {},
      {
        'x-service-webhook-secret': secret,
      },
    );
    expect(sent.status).toBe(202);
    expect(
      await commands.json(['triggers', 'log', 'scheduled', '--trigger', 'hook', '--outcome', 'started']),
    ).toMatchObject([{ trigger: 'hook', run: sent.body.run }]);
  });

  describe('approvals', () => {
    let eve: CommandOptions;

    beforeAll(async () => {
      await commands.json(['members', 'add', 'eve@example.com', '--role', 'admin']);
      await commands.json(['groups', 'create', 'finance', '--member', 'eve@example.com']);
      const key = await commands.json(['keys', 'create', 'eve', '--role', 'admin', '--member', 'eve@example.com']);
      eve = { env: { AAS_API_KEY: key.key } };
    });

    const asked = async (id: string): Promise<Approval> => {
      const [approval] = await eventually(async () => {
        const open = await commands.json<(Approval & { run: string })[]>(['approvals', 'list', '--status', 'open']);
        const ofRun = open.filter((each) => each.run === id);
        expect(ofRun).toHaveLength(1);
        return ofRun;
      });
      return approval!;
    };
    const open = async (amount: number): Promise<Approval & { run: string }> => {
      const { id } = await start('desk', '--input', `amount:=${amount}`);
      return { ...(await asked(id)), run: id };
    };
    const sure = ({ request_revision: revision }: Approval): string[] => ['--yes', '--if-revision', String(revision)];
    const ended = (id: string) => commands.run(['runs', 'tail', id, '-o', 'json']);

    it('are listed and shown to those who may decide', async () => {
      const approval = await open(5);
      expect(await commands.json(['approvals', 'show', approval.id])).toMatchObject({
        id: approval.id,
        request: { amount: 5 },
      });
      const mine = ['approvals', 'list', '--mine', '--agent', 'desk', '--sort', 'expires_at', '-o', 'name'];
      expect(linesOf(await commands.printed(mine, eve))).toContain(approval.id);
      expect(linesOf(await commands.printed(mine))).not.toContain(approval.id);
      expect(await commands.json(['status'])).toMatchObject({ address: scene.stack.baseUrl, approvals_open: 1 });
      await commands.json(['approvals', 'reject', approval.id, ...sure(approval), '--comment', 'no'], eve);
    });

    it('are approved, rejected and edited, with a comment and via the command line', async () => {
      const before = scene.ledger.callsOf('/refunds').length;
      const approved = await open(7);
      expect(
        await commands.json(['approvals', 'approve', approved.id, ...sure(approved), '--comment', 'ok'], eve),
      ).toMatchObject({
        status: 'approved',
        decisions: [{ comment: 'ok', via: 'cli' }],
      });
      expect((await ended(approved.run)).code).toBe(0);
      const rejected = await open(8);
      expect(await commands.json(['approvals', 'reject', rejected.id, ...sure(rejected)], eve)).toMatchObject({
        status: 'rejected',
      });
      expect((await ended(rejected.run)).code).toBe(1);
      const edited = await open(9);
      const less = ['--input', 'amount:=4'];
      expect(await commands.json(['approvals', 'edit', edited.id, ...less, ...sure(edited)], eve)).toMatchObject({
        request: { amount: 4 },
      });
      expect((await ended(edited.run)).code).toBe(0);
      expect(
        scene.ledger
          .callsOf('/refunds')
          .slice(before)
          .map(({ body }) => JSON.parse(body) as unknown),
      ).toEqual([{ amount: 7 }, { amount: 4 }]);
    });

    it('are not decided for a request that was not read, nor by the member who started the run', async () => {
      const approval = await open(6);
      const stale = { ...approval, request_revision: approval.request_revision + 1 };
      const refused = await commands.run(['approvals', 'approve', approval.id, ...sure(stale)], eve);
      expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining('precondition_failed') });
      expect((await commands.run(['approvals', 'approve', approval.id, ...sure(approval)])).code).toBe(4);
      await commands.json(['approvals', 'reject', approval.id, ...sure(approval)], eve);
      expect((await commands.run(['approvals', 'approve', approval.id, ...sure(approval)], eve)).code).toBe(5);
    });

    it('are answered where the outcome of a call is unknown', async () => {
      await scene.stack.client.createAgent(aToolAgent('lost', scene.ledger.url, [['write', '/lost']]));
      scene.ledger.script('/lost', { drop: true });
      const { id } = await start('lost');
      const approval = await asked(id);
      expect((await commands.run(['approvals', 'answer', approval.id, 'perhaps', ...sure(approval)], eve)).code).toBe(
        2,
      );
      await commands.json(['approvals', 'answer', approval.id, 'mark_succeeded', ...sure(approval)], eve);
      expect((await ended(id)).code).toBe(0);
      expect(scene.ledger.callsOf('/lost')).toHaveLength(1);
    });
  });

  describe('knowledge', () => {
    it('is pushed and searched; a base without an upload source gets one', async () => {
      expect(await commands.json(['kb', 'create', 'handbook', '--description', 'How we work'])).toMatchObject({
        name: 'handbook',
      });
      await mkdir(join(folder, 'pages/deep'), { recursive: true });
      await commands.write('pages/refunds.md', '# Refunds\n\nA refund is paid out within five days.\n');
      await commands.write('pages/deep/travel.md', '# Travel\n\nTrains are booked by the office.\n');
      await commands.write('pages/ignored.bin', 'no text');
      const pushed = await commands.json<PushedSync[]>(['kb', 'push', 'handbook', 'pages', '--wait']);
      expect(new Set(pushed.map(({ status }) => status))).toEqual(new Set(['succeeded']));
      expect(new Set(pushed.map(({ id }) => id)).size).toBe(pushed.length);
      expect(pushed.reduce((sum, { progress }) => sum + progress.added, 0)).toBe(2);
      const passages = await commands.json<PrintedObject[]>([
        'kb',
        'search',
        'handbook',
        'when is a refund paid',
        '--limit',
        '1',
      ]);
      expect(passages).toMatchObject([{ document: { title: 'Refunds' } }]);
      expect(await commands.printed(['kb', 'search', 'handbook', 'trains'])).toContain(
        'Trains are booked by the office.',
      );
      await commands.json(['kb', 'push', 'handbook', 'pages/refunds.md', '--wait']);
      expect(await commands.json(['kb', 'sources', 'list', 'handbook'])).toMatchObject([
        { connector: 'upload', document_count: 2 },
      ]);
      expect(await commands.json(['kb', 'list', '--name', 'handbook'])).toMatchObject([{ document_count: 2 }]);
    });

    it('is granted to people and to agents by their names', async () => {
      const access = ['kb', 'access', 'handbook'];
      const { id } = await commands.json(['agents', 'get', 'desk']);
      expect(await commands.json([...access, '--agents', 'desk', '--users', 'admin@example.com'])).toMatchObject({
        agents: [id],
        users: ['admin@example.com'],
      });
      expect(await commands.json([...access, '--users', 'eve@example.com'])).toMatchObject({
        agents: [id],
        users: ['eve@example.com'],
      });
      expect(await commands.json(access)).toMatchObject({ agents: [id], groups: [] });
      expect(await commands.json([...access, '--add', '--users', 'admin@example.com'])).toMatchObject({
        agents: [id],
        users: ['admin@example.com', 'eve@example.com'],
      });
      const replaced = await commands.run([...access, '--users', 'eve@example.com']);
      expect(replaced.stderr).toContain('Removed from users: admin@example.com');
    });

    it('is synced from sources', async () => {
      await commands.json(['kb', 'create', 'orders']);
      expect(await commands.run(['kb', 'sync', 'orders'])).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('The base has no source.'),
      });
      const upload = await commands.json(['kb', 'sources', 'add', 'orders', 'upload']);
      expect(await commands.json(['kb', 'sync', 'orders', '--wait'])).toMatchObject([
        { source: upload.id, status: 'succeeded' },
      ]);
      const item = { id: 'o-1', title: 'Order one', text: 'The first order was shipped.' };
      scene.ledger.always('/items', { body: { items: [item] } });
      scene.ledger.script('/items', { body: { items: [item] }, hang: true });
      const config = [
        `base_url=${scene.ledger.url}/items`,
        'items_pointer=/items',
        'key_pointer=/id',
        'title_pointer=/title',
        'text_pointer=/text',
      ].flatMap((each) => ['--config', each]);
      const source = await commands.json([
        'kb',
        'sources',
        'add',
        'orders',
        'http_api',
        ...config,
        '--schedule',
        'manual',
      ]);
      const waiting = await commands.run(['kb', 'sync', 'orders', '--wait', '--timeout', '1s', '-o', 'json']);
      expect([waiting.code, JSON.parse(waiting.stdout)]).toMatchObject([7, [{ source: source.id, ended_at: null }]]);
      await scene.ledger.called('/items');
      scene.ledger.release('/items');
      expect(await commands.json(['kb', 'sync', 'orders', '--source', source.id, '--wait'])).toMatchObject([
        { status: 'succeeded' },
      ]);
      expect(await commands.printed(['kb', 'search', 'orders', 'shipped'])).toContain('Order one');
    });
  });

  it('stops and resumes the workspace', async () => {
    expect(await commands.json(['stop', '--reason', 'Refunds are paid twice'])).toMatchObject({ status: 'stopped' });
    expect(await commands.json(['status'])).toMatchObject({
      workspace: { status: 'stopped', reason: 'Refunds are paid twice' },
    });
    expect(await commands.json(['resume', '--reason', 'Corrected', '--cancel-queued'])).toMatchObject({
      status: 'active',
    });
  });

  it('showed the key of the admin nowhere', () => {
    const key = scene.stack.adminKey.slice(12);
    expect(commands.outcomes.length).toBeGreaterThan(50);
    expect(commands.outcomes.filter(({ stdout, stderr }) => (stdout + stderr).includes(key))).toEqual([]);
  });
});
