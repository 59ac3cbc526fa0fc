import type { JsonObject } from '@app/kernel';
import type { ApiClient } from '../support/api-client.js';
import {
  ALL_PASSED,
  Cookbook,
  type CookbookAgent,
  SECRETS,
  signedByLinear,
  signedBySlack,
  type WebhookCall,
} from '../support/cookbook.js';
import type { LedgerCall } from '../support/ledger.js';
import type { ModelServer, TurnRequest } from '../support/model-server.js';
import { aGroup, aPerson } from '../support/people.js';

const SLACK = '/api/chat.postMessage';

/** Runs agents of docs/cookbook. The definitions differ from the files only in the hosts of their tools. */
describe('in the cookbook,', () => {
  let cookbook: Cookbook;
  let models: ModelServer;
  let fay: ApiClient;

  beforeAll(async () => {
    cookbook = await Cookbook.start();
    ({ models } = cookbook);
    await cookbook.connect('google-sheets', ['name:payment-reminders', 'name:client-onboarding']);
    fay = await aPerson(cookbook.stack, 'fay@example.com');
    await aGroup(cookbook.stack, 'accounting', ['fay@example.com']);
  });
  afterEach(() => cookbook.reset());
  afterAll(() => cookbook.stop());

  const bodies = (path: string): Record<string, unknown>[] => cookbook.bodiesOf(path);
  const bearers = (path: string) => cookbook.ledger.callsOf(path).map(({ headers }) => headers.authorization);
  const endedRunOf = (call: WebhookCall) => cookbook.ended(String(call.json.run));

  describe('polling-job', () => {
    const SUBMIT = '/v1/video/generations';
    let agent: CookbookAgent;

    beforeAll(async () => {
      agent = await cookbook.create('polling-job');
    });

    it('asks for the status until the task has ended, and survives a failure of the status page', async () => {
      cookbook.ledger.always(SUBMIT, { body: { code: 'success', data: { task_id: 't1' } } });
      cookbook.ledger.script(
        `${SUBMIT}/t1`,
        { status: 503 },
        { body: { status: 'queued', metadata: null } },
        { body: { data: { status: 'SUCCESS', result_url: 'https://example.com/t1.mp4' } } },
      );
      const run = await cookbook.run(agent, { prompt: 'A flower at sunrise', interval: '100ms' });
      expect(run).toMatchObject({
        status: 'succeeded',
        output: { task: 't1', polls: 2, url: 'https://example.com/t1.mp4' },
      });
      expect(bodies(SUBMIT)).toEqual([
        { model: 'Doubao-Seedance-1.5-pro', prompt: 'A flower at sunrise', size: '1280x720' },
      ]);
      expect(bearers(SUBMIT)).toEqual(['Bearer vancine-key-1']);
      expect(cookbook.ledger.callsOf(`${SUBMIT}/t1`)).toHaveLength(3);
    });

    it('fails with the reason of the service, and asks for no status if nothing was submitted', async () => {
      cookbook.ledger.script(SUBMIT, { body: { id: 't2' } }, { status: 500 });
      cookbook.ledger.always(`${SUBMIT}/t2`, { body: { data: { status: 'FAILURE', fail_reason: 'too dark' } } });
      expect(await cookbook.run(agent, { prompt: 'Night' })).toMatchObject({
        status: 'failed',
        error: { code: 'assertion_failed', message: 'Task t2 failed: too dark', step: 'failed' },
      });
      expect(await cookbook.run(agent, { prompt: 'Day' })).toMatchObject({
        status: 'failed',
        error: { code: 'tool_error', step: 'submit' },
      });
      expect(cookbook.ledger.calls).toHaveLength(3);
      expect(await cookbook.evaluate(agent)).toEqual(ALL_PASSED);
    });
  });

  describe('slack-memory-bot', () => {
    let agent: CookbookAgent;

    beforeAll(async () => {
      agent = await cookbook.create('slack-memory-bot');
    });

    const send = (body: JsonObject, secret = SECRETS.SLACK_SIGNING_SECRET) => {
      const text = JSON.stringify(body);
      return cookbook.trigger(agent, text, signedBySlack(text, secret));
    };
    const message = (id: string, event: JsonObject): JsonObject => ({
      type: 'event_callback',
      event_id: id,
      event: { type: 'message', user: 'U1', channel: 'C1', ...event },
    });
    const memory = async () => {
      const { data } = await cookbook.client.expect<{ data: { key: string; value: unknown[] }[] }>(
        'GET',
        `/v1/agents/${agent.id}/state`,
      );
      return data;
    };

    it('answers in the channel and knows what the user wrote before', async () => {
      cookbook.ledger.always(SLACK, { body: { ok: true } });
      expect(await send({ type: 'url_verification', challenge: 'c-1' })).toMatchObject({
        status: 200,
        json: { challenge: 'c-1' },
      });
      models.respondWith({ text: 'Hello, Ada.' }, { text: 'Your name is Ada.' });
      await endedRunOf(await send(message('Ev1', { text: 'My name is Ada.' })));
      const second = await send(message('Ev2', { text: 'What is my name?' }));
      expect(await endedRunOf(second)).toMatchObject({ status: 'succeeded', output: { reply: 'Your name is Ada.' } });
      expect(await send(message('Ev2', { text: 'What is my name?' }))).toMatchObject({ json: { duplicate: true } });
      expect(bodies(SLACK)).toEqual([
        { channel: 'C1', text: 'Hello, Ada.', mrkdwn: true },
        { channel: 'C1', text: 'Your name is Ada.', mrkdwn: true },
      ]);
      expect(bearers(SLACK)).toEqual(Array(2).fill('Bearer xoxb-slack-token-1'));
      expect(JSON.stringify(models.requests[0]?.messages)).not.toContain('Hello, Ada.');
      expect(JSON.stringify(models.requests[1]?.messages)).toContain('Hello, Ada.');
      const said = ['My name is Ada.', 'Hello, Ada.', 'What is my name?', 'Your name is Ada.'];
      const roles = ['user', 'assistant', 'user', 'assistant'];
      expect(await memory()).toMatchObject([
        { key: 'chat:U1', value: said.map((content, index) => ({ role: roles[index], content })) },
      ]);
    });

    it('keeps ten messages, ignores bots, refuses other signatures, and does not remember what Slack refused', async () => {
      cookbook.ledger.always(SLACK, { body: { ok: true } });
      for (let n = 1; n <= 6; n++) {
        models.respondWith({ text: `Answer ${n}` });
        await endedRunOf(await send(message(`Many${n}`, { user: 'U2', text: `Question ${n}` })));
      }
      const kept = (await memory()).find(({ key }) => key === 'chat:U2')?.value;
      expect(kept).toHaveLength(10);
      expect(kept?.[0]).toEqual({ role: 'user', content: 'Question 2' });

      const bot = await send(message('Ev3', { bot_id: 'B1', text: 'Your name is Ada.' }));
      expect(bot).toMatchObject({ status: 202, json: { status: 'filtered', run: null } });
      expect(await send(message('Ev4', { text: 'Hi' }), 'another secret')).toMatchObject({ status: 401 });

      cookbook.ledger.always(SLACK, { body: { ok: false, error: 'not_in_channel' } });
      const refused = await endedRunOf(await send(message('Ev5', { user: 'U3', text: 'Hi' })));
      expect(refused).toMatchObject({ status: 'failed', error: { code: 'assertion_failed', step: 'posted' } });
      expect(refused.error?.message).toContain('not_in_channel');
      expect((await memory()).map(({ key }) => key)).not.toContain('chat:U3');

      models.always(answerTo(({ text }) => (text.includes('My name is Ada.') ? 'You are Ada.' : 'I do not know.')));
      expect(await cookbook.evaluate(agent)).toEqual(ALL_PASSED);
    });
  });

  describe('feed-watcher', () => {
    const FEED = '/feed.json';
    const TELEGRAM = '/bot123456:telegram-token-1/sendMessage';
    const item = (id: number, type: string) => ({ id, type, title: `Item ${id}` });
    let agent: CookbookAgent;

    it('sends each new error or warning once, the oldest first', async () => {
      cookbook.ledger.always(FEED, { body: { items: [item(2, 'error'), item(1, 'info')] } });
      agent = await cookbook.create('feed-watcher');
      await cookbook.ledger.called(FEED);
      await cookbook.polled(agent.id);
      const long = { ...item(5, 'error'), text: 'x'.repeat(400) };
      const items = [long, item(4, 'info'), item(3, 'warning'), item(2, 'error'), item(1, 'info')];
      cookbook.ledger.always(FEED, { body: { items } });
      await cookbook.poll(agent, FEED);
      await cookbook.poll(agent, FEED);
      expect(await cookbook.endedRuns(agent, 2)).toMatchObject([
        { status: 'succeeded', output: { sent: 3 } },
        { status: 'succeeded', output: { sent: 5 } },
      ]);
      const [first, second] = bodies(TELEGRAM);
      expect(bodies(TELEGRAM)).toHaveLength(2);
      expect(first).toEqual({
        chat_id: '-1001234567890',
        text: '🔔 warning: {"id":3,"type":"warning","title":"Item 3"}',
      });
      expect(String(second?.text)).toMatch(/^🔔 error: \{"id":5,/);
      expect([...String(second?.text)]).toHaveLength('🔔 error: '.length - 1 + 300);
    });

    it('shows a feed that fails as the health of the trigger, and fails the run of an item that Telegram refuses', async () => {
      cookbook.ledger.script(FEED, { status: 500 }, { body: { items: [item(6, 'error')] } });
      cookbook.ledger.always(TELEGRAM, { status: 500 });
      const health = async () => {
        const { data } = await cookbook.client.expect<{ data: JsonObject[] }>('GET', `/v1/agents/${agent.id}/triggers`);
        return data[0]?.health;
      };
      await cookbook.poll(agent, FEED);
      expect(await health()).toBe('error');
      await cookbook.poll(agent, FEED);
      expect(await health()).toBe('ok');
      expect((await cookbook.endedRuns(agent, 3))[2]).toMatchObject({
        status: 'failed',
        error: { code: 'tool_error', step: 'send' },
      });
      expect(bodies(TELEGRAM)).toHaveLength(1);
      expect(await cookbook.evaluate(agent)).toEqual(ALL_PASSED);
    });
  });

  describe('payment-reminders', () => {
    const SHEET = '/sheets/v4/spreadsheets/the-id-of-your-spreadsheet/values/Invoices!A%3AF';
    const HEADER = ['Number', 'Customer', 'Email', 'Amount', 'Due', 'Status'];
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10).split('-').reverse().join('/');
    let agent: CookbookAgent;

    beforeAll(async () => {
      agent = await cookbook.create('payment-reminders');
    });

    const starts = () => cookbook.fire(agent, 'morning');
    it('mails the customers that owe money after accounting has agreed, and lists what failed', async () => {
      const rows = [
        ['7', 'Ann', 'ann@example.com', '120', '1/2/2020', 'Open'],
        ['8', 'Bob', 'bob@example.com', '80', tomorrow, ''],
        ['9', 'Cyd', 'cyd@example.com', '60', '01/02/2020', ' Paid '],
        ['10', 'Dan', 'dan@example.com', '40', '31/12/2199', 'Open'],
        ['11', 'Eve', 'gone@example.com', '20', '01/02/2020', 'Open'],
        ['12', 'Flo', 'flo@example.com', '20', 'soon', 'Open'],
        [],
      ];
      cookbook.ledger.always(SHEET, { body: { range: 'Invoices!A1:F8', values: [HEADER, ...rows] } });
      cookbook.mail.unknown.add('gone@example.com');
      const run = await starts();
      const approval = await cookbook.decide({ run }, { decision: 'approve' }, fay);
      expect(JSON.stringify(approval)).toContain('ann@example.com');
      const { status, output } = await cookbook.ended(run);
      expect({ status, output }).toMatchObject({
        status: 'succeeded',
        output: { reminded: ['7', '8'], failed: [{ number: '11', error: expect.any(String) }], unreadable: ['12'] },
      });
      expect(bearers(SHEET)).toEqual([expect.stringMatching(/^Bearer ./)]);
      expect(cookbook.mail.mails.map(({ to, headers }) => [...to, headers.subject])).toEqual([
        ['ann@example.com', 'Invoice 7 is overdue'],
        ['bob@example.com', 'Invoice 8 is due soon'],
      ]);
    });

    it('mails no customer if accounting rejects, if nothing is due, or if the sheet cannot be read', async () => {
      const rows = [HEADER, ['7', 'Ann', 'ann@example.com', '120', '01/02/2020', 'Open']];
      cookbook.ledger.script(SHEET, { body: { values: rows } }, { body: {} }, { status: 403 });
      const rejected = await starts();
      await cookbook.decide({ run: rejected }, { decision: 'reject' }, fay);
      expect(await cookbook.ended(rejected)).toMatchObject({ status: 'failed', error: { code: 'approval_rejected' } });
      expect(await cookbook.ended(await starts())).toMatchObject({ status: 'succeeded', output: { reminded: [] } });
      expect(await cookbook.ended(await starts())).toMatchObject({
        status: 'failed',
        error: { code: 'tool_error', step: 'read' },
      });
      expect(cookbook.mail.mails).toEqual([]);
      expect(await cookbook.evaluate(agent)).toEqual(ALL_PASSED);
    });
  });

  describe('siem-enrichment', () => {
    const TICKETS = '/api/v2/tickets.json';
    const TECHNIQUES = [
      { id: 'T1219', description: 'Adversaries use remote access tools such as NetSupport to control a host.' },
      { id: 'T1110', description: 'Adversaries guess many passwords to gain access to accounts.' },
    ];
    const ticket = (id: number, tags: string[]) => ({
      id,
      raw_subject: 'NetSupport check-in',
      description: 'A host sent a request to a NetSupport gateway.',
      tags,
    });
    const found = {
      summary: 'A remote access tool reports to its operator.',
      techniques: [
        { id: 'T1219', name: 'Remote Access Software', tactic: 'Command and Control' },
        { id: 'T1071', name: 'Application Layer Protocol', tactic: 'Command and Control' },
      ],
      next_steps: ['Isolate the host.', 'Block the gateway.'],
    };
    const search = (query: string) => ({ calls: [{ name: 'knowledge_search', input: { query } }] });
    let agent: CookbookAgent;
    let chat: CookbookAgent;

    beforeAll(async () => {
      const base = await cookbook.createBaseOf('mitre-attack', TECHNIQUES);
      cookbook.ledger.always(TICKETS, { body: { tickets: [ticket(1, ['siem'])] } });
      [agent, chat] = [await cookbook.create('siem-enrichment'), await cookbook.create('siem-enrichment-chat')];
      await cookbook.grant(base, { agents: [agent.id, chat.id] });
      await cookbook.ledger.called(TICKETS);
      await cookbook.polled(agent.id);
    });

    it('adds the techniques that it found to each new alert', async () => {
      const tickets = [ticket(3, ['billing']), ticket(2, ['siem', 'edr']), ticket(1, ['siem'])];
      cookbook.ledger.always(TICKETS, { body: { tickets } });
      models.respondWith(search('NetSupport remote access'), { text: JSON.stringify(found) });
      await cookbook.poll(agent, TICKETS);
      expect(await cookbook.endedRuns(agent, 1)).toMatchObject([
        { status: 'succeeded', output: { techniques: ['T1219', 'T1071'] } },
      ]);
      expect(JSON.stringify(models.requests[1]?.messages)).toContain('tools such as NetSupport to control a host');
      expect(Object.fromEntries(new URLSearchParams(cookbook.ledger.callsOf(TICKETS)[0]?.query))).toEqual({
        sort_by: 'created_at',
        sort_order: 'desc',
        per_page: '100',
      });
      const [enriched] = cookbook.ledger.callsOf('/api/v2/tickets/2.json');
      expect(enriched).toMatchObject({ method: 'PUT', headers: { authorization: basic('soc@example.com/token') } });
      expect(JSON.parse(enriched?.body ?? '')).toEqual({
        ticket: {
          comment: {
            public: false,
            body:
              'A remote access tool reports to its operator.\n\n' +
              'Techniques: T1219 Remote Access Software, T1071 Application Layer Protocol\n' +
              '- Isolate the host.\n- Block the gateway.\n',
          },
          custom_fields: [
            { id: 34479547176212, value: 'T1219' },
            { id: 34479570659732, value: 'Command and Control' },
          ],
        },
      });
    });

    it('writes nothing into a ticket if the model names a technique that has no valid id', async () => {
      cookbook.ledger.always(TICKETS, { body: { tickets: [ticket(4, ['siem'])] } });
      const invalid = { ...found, techniques: [{ id: 'remote access', name: 'x', tactic: 'x' }] };
      models.always({ text: JSON.stringify(invalid) });
      await cookbook.poll(agent, TICKETS);
      expect((await cookbook.endedRuns(agent, 2))[1]).toMatchObject({
        status: 'failed',
        error: { code: 'output_invalid' },
      });
      expect(cookbook.ledger.callsOf('/api/v2/tickets/4.json')).toEqual([]);
      const brute = { ...found, techniques: [{ id: 'T1110', name: 'Brute Force', tactic: 'Credential Access' }] };
      models.always(answerTo(({ text }) => JSON.stringify(text.includes('failed logins') ? brute : found)));
      expect(await cookbook.evaluate(agent)).toEqual(ALL_PASSED);
    });

    it('answers an analyst, who can ask about the last answer', async () => {
      const ask = (message: string) =>
        cookbook.trigger(chat, JSON.stringify({ conversation: 'c1', message }), {
          'x-service-webhook-secret': chat.secret,
        });
      models.respondWith(search('guess passwords'), { text: 'It is T1110.' }, { text: 'Lock the accounts.' });
      expect(await ask('How are guessed passwords called?')).toMatchObject({
        status: 200,
        json: { reply: 'It is T1110.' },
      });
      expect(JSON.stringify(models.requests[1]?.messages)).toContain('guess many passwords');
      expect(await ask('What helps?')).toMatchObject({ status: 200, json: { reply: 'Lock the accounts.' } });
      expect(JSON.stringify(models.requests[2]?.messages)).toContain('It is T1110.');
      models.always({ status: 400 });
      expect(await ask('And now?')).toMatchObject({ status: 500, json: { code: 'run_failed' } });
    });
  });

  describe('linear-bugs', () => {
    const TEAMS = {
      data: { teams: { nodes: ['Adore', 'Payday', 'Nodes'].map((name) => ({ id: `id-${name}`, name })) } },
    };
    let agent: CookbookAgent;

    beforeAll(async () => {
      agent = await cookbook.create('linear-bugs');
    });

    const issue = (id: string, more: JsonObject = {}): JsonObject & { id: string } => ({
      id,
      title: 'The Sheets node drops a row',
      description: 'Append two rows. One arrives.',
      state: { id: '6b9a8eec-82dc-453a-878b-50f4c98d3e53' },
      labels: [{ id: 'f2b6e3e9-b42d-4106-821c-6a08dcb489a9' }],
      ...more,
    });
    const send = (data: JsonObject & { id: string }) => {
      const url = `https://linear.app/acme/issue/${data.id}`;
      const text = JSON.stringify({ type: 'Issue', action: 'update', url, data, webhookTimestamp: Date.now() });
      return cookbook.trigger(agent, text, signedByLinear(text, SECRETS.LINEAR_WEBHOOK_SECRET));
    };
    const linear = (moved: JsonObject) =>
      cookbook.ledger.always('/graphql', { body: ({ body }: LedgerCall) => (body.includes('teams') ? TEAMS : moved) });
    const moves = () => bodies('/graphql').filter(({ variables }) => variables !== undefined);

    it('moves a bug to the team that the model names', async () => {
      linear({ data: { issueUpdate: { success: true } } });
      models.respondWith({ text: '{"team": "Nodes"}' });
      expect(await endedRunOf(await send(issue('i1')))).toMatchObject({
        status: 'succeeded',
        output: { team: 'Nodes', moved: true },
      });
      expect(moves()).toMatchObject([
        { query: expect.stringContaining('issueUpdate'), variables: { id: 'i1', team: 'id-Nodes' } },
      ]);
      expect(bearers('/graphql')).toEqual(Array(2).fill('lin_api_linear-key-1'));
      expect(cookbook.ledger.callsOf(SLACK)).toEqual([]);
    });

    it('asks in Slack if no team fits, ignores other issues, and fails if Linear does not move the bug', async () => {
      linear({ errors: [{ message: 'Entity not found' }] });
      cookbook.ledger.always(SLACK, { body: { ok: true } });
      models.respondWith({ text: '{"team": "Other"}' }, { text: '{"team": "Payday"}' });
      expect(await endedRunOf(await send(issue('i2')))).toMatchObject({ output: { team: 'Other', moved: false } });
      expect(bodies(SLACK)).toEqual([
        {
          channel: '#bug-triage',
          text: 'No team found for the bug <https://linear.app/acme/issue/i2|The Sheets node drops a row>.',
        },
      ]);
      expect(moves()).toEqual([]);
      const others: JsonObject[] = [{ description: null }, { labels: [] }, { description: 'Add a description here' }];
      for (const other of others)
        expect(await send(issue('i3', other))).toMatchObject({ status: 202, json: { status: 'filtered' } });
      const failed = await endedRunOf(await send(issue('i4')));
      expect(failed).toMatchObject({ status: 'failed', error: { code: 'assertion_failed', step: 'moved' } });
      expect(failed.error?.message).toContain('Entity not found');

      const teamOf = (text: string) => (text.includes('SAML') ? 'Payday' : text.includes('Sheets') ? 'Nodes' : 'Other');
      models.always(answerTo(({ text }) => `{"team": "${teamOf(text)}"}`));
      expect(await cookbook.evaluate(agent)).toEqual(ALL_PASSED);
    });
  });

  describe('client-onboarding', () => {
    const SHEET = '/sheets/v4/spreadsheets/the-id-of-your-spreadsheet/values/Clients!A%3AF:append';
    let agent: CookbookAgent;

    beforeAll(async () => {
      agent = await cookbook.create('client-onboarding');
    });

    const submit = (form: Record<string, string>) =>
      cookbook.trigger(agent, new URLSearchParams(form), { 'x-service-webhook-secret': agent.secret });
    const ADA = { client_name: 'Ada Lovelace', client_email: 'ada@example.com', company_name: 'Engines' };

    it('answers the form with a client number, adds a row and sends a welcome mail', async () => {
      const { status, json } = await submit(ADA);
      expect({ status, json }).toEqual({
        status: 200,
        json: { success: true, clientId: expect.stringMatching(/^CF-[0-9A-F]{8}$/), name: 'Ada Lovelace' },
      });
      const [row] = cookbook.ledger.callsOf(SHEET);
      expect(row).toMatchObject({
        query: 'valueInputOption=RAW',
        headers: { authorization: expect.stringMatching(/^Bearer ./) },
      });
      const at = expect.stringMatching(/^20\d\d-.*Z$/);
      expect(bodies(SHEET)).toEqual([
        { values: [[json.clientId, 'Ada Lovelace', 'ada@example.com', 'Engines', 'General', at]] },
      ]);
      expect(cookbook.mail.mails).toMatchObject([
        { to: ['ada@example.com'], headers: { subject: 'Welcome, Ada Lovelace' } },
      ]);
      expect(cookbook.mail.mails[0]?.raw).toContain(String(json.clientId));
    });

    it('answers a client whose mail fails and tells the admins, and refuses a form without a name', async () => {
      cookbook.mail.unknown.add('ada@example.com');
      const { status, json } = await submit(ADA);
      expect({ status, json }).toMatchObject({ status: 200, json: { success: true } });
      expect(cookbook.mail.mails).toMatchObject([
        { to: ['admin@example.com'], headers: { subject: `No welcome mail for ${String(json.clientId)}` } },
      ]);
      expect(await submit({ email: 'ada@example.com' })).toMatchObject({
        status: 422,
        json: { code: 'input_invalid' },
      });
      cookbook.ledger.script(SHEET, { drop: true }, { status: 500 });
      expect(await submit(ADA)).toMatchObject({ status: 202, json: { run: expect.stringMatching(/^run_/) } });
      expect(await submit(ADA)).toMatchObject({ status: 500, json: { code: 'run_failed' } });
      expect(await cookbook.evaluate(agent)).toEqual(ALL_PASSED);
    });
  });
});

/** Returns an `Authorization` header with HTTP basic authentication. */
function basic(username: string): string {
  return `Basic ${Buffer.from(`${username}:${SECRETS.ZENDESK_TOKEN}`).toString('base64')}`;
}

/** Returns a model script. `compute` receives the messages of a request as JSON, and returns the model's response. */
function answerTo(compute: (seen: { text: string }) => string): (request: TurnRequest) => { text: string } {
  return ({ messages }) => ({ text: compute({ text: JSON.stringify(messages) }) });
}
