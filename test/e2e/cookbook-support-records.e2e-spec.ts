import { createHash } from 'node:crypto';
import { simpleParser } from 'mailparser';
import type { Client } from 'pg';
import type { JsonObject, JsonValue } from '@app/kernel';
import type { ApiClient } from '../support/api-client.js';
import {
  ALL_PASSED,
  Cookbook,
  type CookbookAgent,
  type CookbookRun,
  mailText,
  promptOf,
  turn,
} from '../support/cookbook.js';
import { TRUSTED_RELAY } from '../support/shared-stack.js';
import { eventually } from '../support/eventually.js';
import { aGroup, aPerson } from '../support/people.js';
import { aPdf } from '../support/site-server.js';

const WITHIN = { within: 180_000 };
const ROWS = '/sheets/v4/spreadsheets/1AbCdEfGhIjKlMnOpQrStUvWxYz/values';

describe('the cookbook agent', () => {
  let cookbook: Cookbook;

  beforeAll(async () => {
    cookbook = await Cookbook.start();
    await cookbook.connect('google', ['name:lead-rescue', 'name:invoice-intake']);
  });
  afterEach(() => cookbook.reset());
  afterAll(() => cookbook.stop());

  const store = async <Body>(method: string, path: string, content: Buffer): Promise<Body> => {
    const response = await fetch(`${cookbook.stack.baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${cookbook.client.key}`, 'content-type': 'application/pdf' },
      body: Uint8Array.from(content),
    });
    expect(response.status).toBe(201);
    return (await response.json()) as Body;
  };

  describe('contract-approval', () => {
    const CONTRACT = aPdf('Lease of the office').body as Buffer;
    let agent: CookbookAgent;
    let ann: ApiClient;
    let ben: ApiClient;

    beforeAll(async () => {
      [ann, ben] = [await aPerson(cookbook.stack, 'ann@example.com'), await aPerson(cookbook.stack, 'ben@example.com')];
      await aGroup(cookbook.stack, 'legal', ['ann@example.com', 'ben@example.com']);
      agent = await cookbook.create('contract-approval');
    });

    const start = async (): Promise<string> => {
      const { id: file } = await store<{ id: string }>('POST', '/v1/files?filename=lease.pdf', CONTRACT);
      return (await cookbook.client.startRun(agent.id, { contract: { file }, partner: 'Acme' })).id;
    };

    it('files what two people have read and approved', async () => {
      cookbook.ledger.always('/contracts', { body: { id: 'c-1' } });
      const run = await start();
      const { request } = await cookbook.decide({ run }, { decision: 'approve' }, ann);
      const { file } = request!.contract as { file: string };
      const { text } = await ben.expect<{ text: string }>('GET', `/v1/files/${file}/text`);
      expect(text).toContain('Lease of the office');
      expect(cookbook.ledger.callsOf('/contracts')).toEqual([]);
      await cookbook.decide({ run }, { decision: 'approve' }, ben);
      expect(await cookbook.ended(run)).toMatchObject({ status: 'succeeded', output: { archived: 'c-1' } });
      const [stored] = cookbook.ledger.callsOf('/contracts');
      expect(stored?.headers.authorization).toBe('Bearer archive-token-1');
      expect(stored?.body).toContain('filename="lease.pdf"');
      expect(stored?.body).toContain('Lease of the office');
    });

    it('files nothing that a person rejects, and passes its evaluation', async () => {
      const run = await start();
      await cookbook.decide({ run }, { decision: 'reject', comment: 'Clause 7' }, ben);
      expect(await cookbook.ended(run)).toMatchObject({ status: 'failed', error: { code: 'approval_rejected' } });
      await store('PUT', '/v1/fixtures/contract.pdf', CONTRACT);
      await store('PUT', '/v1/fixtures/scan.pdf', aPdf('').body as Buffer);
      expect(await cookbook.evaluate(agent)).toEqual(ALL_PASSED);
      expect(cookbook.ledger.callsOf('/contracts')).toEqual([]);
    });
  });

  describe('invoice-intake', () => {
    let agent: CookbookAgent;

    beforeAll(async () => {
      agent = await cookbook.create('invoice-intake');
    });

    const INVOICE = {
      number: 'R-7',
      supplier: 'Acme',
      date: '2026-02-01',
      currency: 'EUR',
      net: 30,
      total: 35.7,
      lines: [
        { text: 'Paper', amount: 10 },
        { text: 'Ink', amount: 20 },
      ],
    };
    const JOB = '/llama/api/parsing/job/j1';
    const PDF = `%PDF-1.7 invoice${'x'.repeat(6_000_000)}`;
    const send = async ({ from = 'invoices@paypal.com', pdf = PDF, dmarc = 'pass' } = {}) => {
      const before = (await cookbook.runsOf(agent)).length;
      const sent = await cookbook.sender.send({
        from,
        to: 'invoices@example.com',
        subject: 'Invoice R-7',
        text: 'Please find our invoice attached.',
        headers: { 'Authentication-Results': `${TRUSTED_RELAY}; dmarc=${dmarc}` },
        attachments: [
          { filename: 'r-7.pdf', content: pdf, contentType: 'application/octet-stream' },
          { filename: 'terms.pdf', content: 'Terms', contentType: 'application/pdf' },
        ],
      });
      expect(sent).toMatchObject({ code: 250 });
      return (await cookbook.runsOf(agent)).slice(before);
    };
    const ended = async ([run]: CookbookRun[]) => cookbook.ended(run?.id ?? '');

    it('reads a PDF of 6 MB that arrives by e-mail and adds a row for it', async () => {
      cookbook.ledger.always('/llama/api/parsing/upload', { body: { id: 'j1', status: 'PENDING' } });
      cookbook.ledger.script(JOB, { body: { status: 'PENDING' } });
      cookbook.ledger.always(JOB, { body: { status: 'SUCCESS' } });
      cookbook.ledger.always(`${JOB}/result/markdown`, { body: { markdown: '# Invoice R-7' } });
      cookbook.models.respondWith(turn(INVOICE));
      expect(await ended(await send())).toMatchObject({
        status: 'succeeded',
        output: { invoices: [{ number: 'R-7', sum_fits: true }] },
      });
      const [upload, ...others] = cookbook.ledger.callsOf('/llama/api/parsing/upload');
      expect(others).toEqual([]);
      expect(upload?.headers).toMatchObject({
        authorization: 'Bearer llama-key-4711',
        'content-type': expect.stringMatching(/^multipart\/form-data/),
      });
      expect(upload?.body.slice(0, 500)).toContain('name="file"; filename="r-7.pdf"');
      // `toContain` would print the 6 MB.
      expect(upload?.body.includes(PDF)).toBe(true);
      expect(cookbook.ledger.callsOf(JOB)).toHaveLength(2);
      expect(cookbook.models.requests.map(promptOf)).toEqual([expect.stringContaining('# Invoice R-7')]);
      const [row] = cookbook.ledger.callsOf(`${ROWS}/Invoices:append`);
      expect(row).toMatchObject({
        query: 'valueInputOption=RAW',
        headers: { authorization: expect.stringMatching(/^Bearer .+/) },
      });
      expect(JSON.parse(row?.body ?? '')).toEqual({
        values: [['R-7', 'Acme', '2026-02-01', 30, 35.7, 'EUR', 'ok', 'r-7.pdf']],
      });
    });

    it('mails the admins if the PDF cannot be read', async () => {
      cookbook.ledger.always('/llama/api/parsing/upload', { body: { id: 'j1' } });
      cookbook.ledger.always(JOB, { body: { status: 'ERROR' } });
      expect(await ended(await send())).toMatchObject({
        status: 'failed',
        error: { code: 'assertion_failed', message: expect.stringContaining('LlamaParse reports ERROR for r-7.pdf.') },
      });
      expect(cookbook.mail.mails).toMatchObject([
        { to: ['admin@example.com'], headers: { subject: 'Invoice not recorded: Invoice R-7' } },
      ]);
      expect(cookbook.ledger.callsOf(`${ROWS}/Invoices:append`)).toEqual([]);
    });

    it('ignores other senders, forged mail, and mail without a PDF', async () => {
      expect(await send({ from: 'ann@example.com' })).toEqual([]);
      expect(await send({ pdf: 'An invoice' })).toEqual([]);
      expect(await send({ dmarc: 'fail' })).toEqual([]);
    });

    it('passes its evaluation', async () => {
      await store('PUT', '/v1/fixtures/invoice.pdf', aPdf('Invoice 7').body as Buffer);
      cookbook.models.always(turn({ ...INVOICE, net: null, total: 35 }));
      expect((await cookbook.evaluate(agent)).failed).toEqual([]);
    });
  });

  describe('lead-rescue', () => {
    let agent: CookbookAgent;
    let deliveries = 0;

    beforeAll(async () => {
      agent = await cookbook.create('lead-rescue', { '[www.example.com, "*.example.com"]': '[127.0.0.1]' });
    });

    /**
     * Sends the form, and sends it again while the response is 202. This status means that the run is still in
     * progress, which happens on a busy machine.
     */
    const submit = (fields: Record<string, string>): Promise<{ status: number; body: JsonObject }> => {
      const headers = { 'x-service-webhook-secret': agent.secret, 'webhook-id': `form-${(deliveries += 1)}` };
      return eventually(async () => {
        const response = await cookbook.post(agent, new URLSearchParams(fields), headers);
        const body = (await response.json()) as JsonObject;
        expect(response.status).not.toBe(202);
        return { status: response.status, body };
      }, WITHIN);
    };
    const rows = () => cookbook.bodiesOf(`${ROWS}/Leads:append`).map(({ values }) => (values as JsonValue[][])[0]);

    it('answers the form, records the lead and mails it to the right people', async () => {
      cookbook.ledger.always('/pricing', { body: '<html><head><title>Pricing and plans</title></head></html>' });
      const page = `${cookbook.ledger.url}/pricing?utm=a`;
      const hot = {
        full_name: 'Ann Lee',
        work_email: ' Ann@Example.com ',
        organization: 'Acme',
        job_title: 'CTO',
        estimated_budget: '$50k approved',
        details: 'We need a demo of SSO today, and a quote.',
        url: page,
      };
      expect(await submit(hot)).toEqual({
        status: 200,
        body: { ok: true, priority: 'hot', score: 99, answer_within_minutes: 15, team: 'sales' },
      });
      expect(rows()).toEqual([
        [
          expect.stringMatching(/^20.*Z$/),
          'hot',
          99,
          15,
          'sales',
          'demo_request, commercial_intent, time_sensitive, enterprise_process',
          'ann@example.com',
          'Acme',
          `ann@example.com:acme:${page}`,
        ],
      ]);
      expect(cookbook.mail.mails).toMatchObject([
        { to: ['sales@example.com'], headers: { subject: expect.stringMatching(/^\[HOT 99\] Acme: demo_request, /) } },
        { to: ['leadership@example.com'], headers: { subject: '[EXECUTIVE] Acme: score 99' } },
      ]);
      expect(await mailText(cookbook.mail.mails[0])).toContain('Answer within 15 minutes.');
      const normal = { email: 'bo@example.com', message: 'What are your opening hours?' };
      expect(await submit(normal)).toMatchObject({
        status: 200,
        body: { priority: 'normal', score: 20, team: 'sales' },
      });
      expect(cookbook.mail.mails.slice(2)).toMatchObject([
        { to: ['inbox@example.com'], headers: { subject: '[NORMAL 20] bo@example.com: general_inquiry' } },
      ]);
    });

    it('refuses a lead that cannot be reached, opens no foreign page and mails the admins if the sheet fails', async () => {
      expect(await submit({ message: 'Call me' })).toMatchObject({ status: 400, body: { ok: false } });
      expect(rows()).toEqual([]);
      const foreign = {
        phone: '+49 151 1234567',
        company: 'Acme',
        message: 'Our API integration failed',
        url: 'http://169.254.169.254/pricing',
      };
      expect(await submit(foreign)).toMatchObject({
        status: 200,
        body: { priority: 'review', score: 48, team: 'automation_ops' },
      });
      expect(cookbook.ledger.callsOf('/pricing')).toEqual([]);
      cookbook.mail.reset();
      cookbook.ledger.always(`${ROWS}/Leads:append`, { status: 500 });
      const failed = await submit({ email: 'bo@example.com' });
      expect(failed).toMatchObject({ status: 500, body: { code: 'run_failed', run: expect.stringMatching(/^run_/) } });
      expect(cookbook.mail.mails).toMatchObject([
        { to: ['admin@example.com'], headers: { subject: 'A lead was not processed: row' } },
      ]);
    });

    it('passes its evaluation', async () => {
      expect((await cookbook.evaluate(agent)).failed).toEqual([]);
    });
  });

  describe('nightly-commerce-report', () => {
    const ORDERS = '/shopify/admin/api/2025-10/graphql.json';
    const BLOCKS = '/notion/v1/blocks/12345678-1234-1234-1234-123456789abc/children';
    let agent: CookbookAgent;

    beforeAll(async () => {
      agent = await cookbook.create('nightly-commerce-report');
    });

    const orders = (first: number, count: number, endCursor: string | null): JsonObject => ({
      data: {
        orders: {
          nodes: Array.from({ length: count }, (_, index) => ({
            name: `#${first + index}`,
            totalPriceSet: { shopMoney: { amount: '10.10', currencyCode: index === 0 ? 'USD' : 'EUR' } },
          })),
          pageInfo: { hasNextPage: endCursor !== null, endCursor },
        },
      },
    });
    const balance = {
      body: {
        available: [
          { amount: 123_456, currency: 'eur' },
          { amount: -500, currency: 'usd' },
        ],
      },
    };

    it('adds the orders of yesterday and the balance to the page, and posts a summary', async () => {
      cookbook.ledger.always('/stripe/v1/balance', balance);
      cookbook.ledger.script(ORDERS, { body: orders(1, 100, 'c1') }, { body: orders(101, 20, null) });
      const run = await cookbook.ended(await cookbook.fire(agent, 'daily'));
      const { day } = run.output as { day: string };
      const sales = '120 orders, 1,191.80 EUR, 20.20 USD';
      expect(run).toMatchObject({ status: 'succeeded', output: { sales, balance: '1,234.56 EUR, -5.00 USD' } });
      const tomorrow = new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);
      const filter = `created_at:>=${day} created_at:<${tomorrow}`;
      expect(cookbook.bodiesOf(ORDERS).map(({ variables }) => variables)).toEqual([
        { filter, after: null },
        { filter, after: 'c1' },
      ]);
      const [asked] = cookbook.ledger.callsOf(ORDERS);
      expect(asked?.headers['x-shopify-access-token']).toBe('shopify-token-4711');
      const parts = cookbook.bodiesOf(BLOCKS).map(({ children }) => children as JsonObject[]);
      expect(parts.map(({ length }) => length)).toEqual([100, 23]);
      const paragraph = (content: string) => ({ type: 'paragraph', paragraph: { rich_text: [{ text: { content } }] } });
      expect(parts[0]?.slice(0, 4)).toEqual([
        { type: 'heading_2', heading_2: { rich_text: [{ text: { content: day } }] } },
        paragraph('Stripe balance: 1,234.56 EUR, -5.00 USD'),
        paragraph(`Shopify: ${sales}`),
        paragraph('#1: 10.10 USD'),
      ]);
      expect(cookbook.bodiesOf('/slack')).toEqual([
        { text: `Report of ${day}: ${sales}. Stripe balance: 1,234.56 EUR, -5.00 USD` },
      ]);
    });

    it('writes nothing and mails the admins if Stripe or Shopify fails', async () => {
      cookbook.ledger.always('/stripe/v1/balance', { status: 500 });
      cookbook.ledger.always(ORDERS, { body: orders(1, 0, null) });
      expect(await cookbook.run(agent)).toMatchObject({
        status: 'failed',
        error: { code: 'tool_error', step: 'balance' },
      });
      expect(cookbook.ledger.callsOf('/stripe/v1/balance')).toHaveLength(3);
      cookbook.ledger.always('/stripe/v1/balance', balance);
      cookbook.ledger.always(ORDERS, { body: { errors: [{ message: 'Throttled' }] } });
      expect(await cookbook.run(agent)).toMatchObject({
        status: 'failed',
        error: { code: 'assertion_failed', message: expect.stringContaining('Throttled') },
      });
      expect(cookbook.mail.mails.map(({ headers }) => headers.subject)).toEqual([
        'nightly-commerce-report failed: tool_error',
        'nightly-commerce-report failed: assertion_failed',
      ]);
      expect([...cookbook.bodiesOf(BLOCKS), ...cookbook.bodiesOf('/slack')]).toEqual([]);
    });

    it('passes its evaluation', async () => {
      expect((await cookbook.evaluate(agent)).failed).toEqual([]);
    });
  });

  describe('nightly-export', () => {
    const DAY = '2026-03-01';
    const HEAD = 'id,created_at,customer,currency,total\r\n';
    let agent: CookbookAgent;

    beforeAll(async () => {
      agent = await cookbook.create('nightly-export');
    });

    const order = (id: number, customer: string): JsonObject => ({
      id,
      created_at: `${DAY}T08:00:00Z`,
      customer,
      currency: 'EUR',
      total: '19.90',
    });
    const put = (name: string) => cookbook.ledger.callsOf(`/orders/${name}`);
    const attached = async () =>
      (await simpleParser(cookbook.mail.mails[0]?.raw ?? '')).attachments.map(({ filename, content }) => [
        filename,
        content.toString(),
      ]);

    it('sends the same CSV to the bucket and to the readers, also after a failed attempt', async () => {
      const pages = [[order(2, 'Ann, "Lee"')], [order(3, 'Žiga')]];
      const [first, second] = pages.map((orders, at) => ({ body: { orders, next: at === 0 ? 'c1' : null } }));
      cookbook.ledger.script('/api/orders', first ?? {}, second ?? {});
      cookbook.ledger.script(`/orders/orders-${DAY}.csv`, { status: 503 }, { body: '' });
      const run = await cookbook.run(agent, { day: DAY });
      expect(run).toMatchObject({ status: 'succeeded', output: { orders: 2, export: { content_type: 'text/csv' } } });
      const csv = `${HEAD}2,${DAY}T08:00:00Z,"Ann, ""Lee""",EUR,19.90\r\n3,${DAY}T08:00:00Z,Žiga,EUR,19.90\r\n`;
      const queries = cookbook.ledger.callsOf('/api/orders').map(({ query }) => query);
      expect(queries).toEqual([`day=${DAY}&limit=200`, `day=${DAY}&after=c1&limit=200`]);
      const sha256 = createHash('sha256').update(csv).digest('hex');
      const calls = put(`orders-${DAY}.csv`);
      expect(calls).toHaveLength(2);
      for (const { body, headers, method } of calls) {
        expect({ method, body }).toEqual({ method: 'PUT', body: csv });
        expect(headers).toMatchObject({
          authorization: expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=AKIAEXPORTS\/\d{8}\/eu-central-1\/s3\//),
          'content-type': 'text/csv',
          'x-amz-content-sha256': sha256,
        });
      }
      expect(cookbook.mail.mails).toMatchObject([
        { to: ['finance@example.com'], headers: { subject: `Orders of ${DAY}` } },
      ]);
      expect(await attached()).toEqual([[`orders-${DAY}.csv`, csv]]);
    });

    it('exports the previous day each night, also a day without orders', async () => {
      cookbook.ledger.always('/api/orders', { body: { orders: [], next: null } });
      const run = await cookbook.runTrigger(agent, 'nightly');
      const yesterday = new Date(Date.parse(run.started_at) - 86_400_000).toISOString().slice(0, 10);
      expect(run).toMatchObject({ status: 'succeeded', output: { orders: 0 } });
      expect(put(`orders-${yesterday}.csv`)).toMatchObject([{ body: HEAD }]);
      expect(await attached()).toEqual([[`orders-${yesterday}.csv`, HEAD]]);
    });

    it('passes its evaluation', async () => {
      await store('PUT', '/v1/fixtures/orders.csv', Buffer.from(HEAD));
      expect(await cookbook.evaluate(agent)).toEqual(ALL_PASSED);
    });
  });

  describe('incident-response', () => {
    const ISSUE = '/jira/rest/api/2/issue';
    let agent: CookbookAgent;
    let database: Client;

    beforeAll(async () => {
      database = await cookbook.openDatabase();
      await database.query(
        'create table incident_log (jira_key text primary key, service text, severity text, description text, created_at timestamptz)',
      );
      agent = await cookbook.create('incident-response');
    });
    beforeEach(() => database.query('truncate incident_log'));

    const logged = async () =>
      (await database.query('select jira_key, service, severity, description from incident_log')).rows;
    const input = { service: 'payments', description: "Checkout doesn't work; drop table x" };

    it('opens a ticket, alerts the people on call and records the incident', async () => {
      cookbook.ledger.always(ISSUE, { status: 201, body: { id: '1', key: 'OPS-7' } });
      const run = await cookbook.run(agent, { ...input, severity: 'P1 - Critical' });
      expect(run).toMatchObject({ status: 'succeeded', output: { ticket: 'OPS-7', alerted: true } });
      expect(run.output?.report).toMatch(/^INCIDENT REPORT OPS-7\n[^]*Slack: alerted\n[^]*Root cause:/);
      expect(cookbook.bodiesOf(ISSUE)).toMatchObject([
        {
          fields: {
            project: { key: 'OPS' },
            summary: '[P1 - Critical] Incident: payments',
            description: expect.stringMatching(/\*Reported at:\* 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC/),
            labels: ['incident', 'p1-critical'],
          },
        },
      ]);
      expect(cookbook.bodiesOf('/slack')).toMatchObject([
        {
          text: ':rotating_light: Incident, P1 - Critical: payments',
          blocks: [
            { type: 'header' },
            { fields: expect.arrayContaining([{ type: 'mrkdwn', text: '*Ticket:*\nOPS-7' }]) },
            {},
          ],
        },
      ]);
      expect(await logged()).toEqual([{ jira_key: 'OPS-7', severity: 'P1 - Critical', ...input }]);
    });

    it('alerts and records without a ticket if Jira fails', async () => {
      cookbook.ledger.always(ISSUE, { status: 500 });
      const run = await cookbook.run(agent, input);
      expect(run).toMatchObject({ status: 'succeeded', output: { ticket: null, alerted: true } });
      expect(cookbook.ledger.callsOf(ISSUE)).toHaveLength(1);
      expect(JSON.stringify(cookbook.bodiesOf('/slack'))).toContain('*Ticket:*\\nnone, ');
      expect(await logged()).toEqual([{ jira_key: run.id, severity: 'P2 - High', ...input }]);
    });

    it('asks an admin about a ticket if the connection to Jira breaks', async () => {
      cookbook.ledger.script(ISSUE, { drop: true });
      cookbook.ledger.always(ISSUE, { status: 201, body: { key: 'OPS-8' } });
      const { id } = await cookbook.client.startRun(agent.id, input);
      const question = await cookbook.waiting(id);
      expect(await cookbook.client.expect('GET', `/v1/approvals/${question}`)).toMatchObject({ kind: 'in_doubt' });
      await cookbook.client.expect('POST', `/v1/runs/${id}/approvals/${question}`, { decision: 'retry' });
      expect(await cookbook.ended(id)).toMatchObject({ status: 'succeeded', output: { ticket: 'OPS-8' } });
      expect(await logged()).toMatchObject([{ jira_key: 'OPS-8' }]);
    });

    it('passes its evaluation', async () => {
      expect((await cookbook.evaluate(agent)).failed).toEqual([]);
      expect(await logged()).toEqual([]);
    });
  });
});
