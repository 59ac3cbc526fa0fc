import type { JsonObject } from '@app/kernel';
import type { ApiClient } from '../../support/api-client.js';
import { eventually } from '../../support/eventually.js';
import { aGroup, aPerson } from '../../support/people.js';
import type { Scene } from '../../support/scene.js';
import { sleepOver } from './long-waits.js';

/** The workspace of a fictitious small company. It has agents with a history, open approvals, and failed runs. */
export interface DemoWorkspace {
  refundDesk: string;
  /** Id of a run of the refund desk that waits for an approval of the group `finance`. */
  waitingRun: string;
  /** Id of a run that waited overnight until the group `finance` approved it. */
  approvedRun: string;
  /** Id of a bulk action that cancelled some of its runs. The service refused to cancel the others. */
  bulkAction: string;
  approval: string;
  /** Id of the approval that asks about a call with unknown outcome. */
  question: string;
  /**
   * API key of an admin who may decide the approvals. The admin of the scene may not decide them, because they started
   * the runs.
   */
  approverKey: string;
}

/** Fills the workspace of the scene. The scene must have a worker. */
export async function aDemoWorkspace({ stack, ledger }: Scene): Promise<DemoWorkspace> {
  const { client } = stack;
  scriptTools(ledger);
  await stack.query(`update workspaces set name = 'Nordlicht Shop' where id = $1`, [stack.workspaceId]);
  const maria = await aPerson(stack, 'maria.weber@example.com', { role: 'admin' });
  await aPerson(stack, 'tom.okafor@example.com', { role: 'builder' });
  await aGroup(stack, 'finance', ['maria.weber@example.com', 'tom.okafor@example.com']);
  const refundDesk = await client.createAgent(theRefundDesk(ledger.url));
  await client.expect('POST', `/v1/agents/${refundDesk}/versions`, {
    ...theRefundDesk(ledger.url),
    labels: { team: 'care' },
  });
  const reports = await client.createAgent(aStockReport(ledger.url));
  const invoices = await client.createAgent(anInvoiceDesk(ledger.url));
  const ended = [
    ...['1001', '1002', '1003', '1004'].map((order) =>
      client.startRun(refundDesk, aRefund(order, 'Damaged on arrival')),
    ),
    client.startRun(reports, { warehouse: 'Hamburg' }),
    client.startRun(reports, { warehouse: 'Lyon' }),
    client.startRun(reports, { warehouse: 'closed' }),
  ];
  const runs = [...(await Promise.all(ended))].map(({ id }) => id);
  await eventually(async () => {
    for (const id of runs) expect((await client.run(id)).status).toMatch(/succeeded|failed/);
  });
  const waiting = await client.startRun(refundDesk, aRefund('4711', 'Ordered twice, both parcels arrived'));
  await client.startRun(invoices, { invoice: 'INV-2081' });
  const doubtful = await client.startRun(refundDesk, aRefund('1009', 'Wrong size'));
  await addHistory(stack, { refundDesk, reports, invoices });
  return {
    refundDesk,
    waitingRun: waiting.id,
    approvedRun: await anApprovedRun(stack, maria, refundDesk),
    bulkAction: await aBulkCancellation(client, refundDesk, runs.slice(0, 2)),
    approval: await openApprovalOf(client, waiting.id),
    question: await openApprovalOf(client, doubtful.id),
    approverKey: await aKeyOf(maria, 'maria.weber@example.com'),
  };
}

async function aKeyOf(person: ApiClient, member: string): Promise<string> {
  const body = { name: 'browser', kind: 'live', role: 'admin', member };
  return (await person.expect<{ key: string }>('POST', '/v1/api-keys', body)).key;
}

async function anApprovedRun(stack: Scene['stack'], approver: ApiClient, agent: string): Promise<string> {
  const { id } = await stack.client.startRun(agent, aRefund('4712', 'Arrived broken, photo attached'));
  const approval = await openApprovalOf(stack.client, id);
  const decision = { decision: 'approve', comment: 'Photo checked, the glass is broken.' };
  await approver.expect('POST', `/v1/runs/${id}/approvals/${approval}`, decision);
  await eventually(async () => expect((await stack.client.run(id)).status).toBe('succeeded'));
  await sleepOver(stack, id);
  return id;
}

/** Cancels two waiting runs, and tries to cancel runs that have ended. */
async function aBulkCancellation(client: ApiClient, agent: string, ended: readonly string[]): Promise<string> {
  const open = await Promise.all(['4711', '4711'].map((order) => client.startRun(agent, aRefund(order, 'Sent twice'))));
  const ids = [...open.map(({ id }) => id), ...ended];
  const { id } = await client.expect<{ id: string }>('POST', '/v1/bulk-actions', { action: 'cancel', ids });
  await eventually(async () => {
    const { status } = await client.expect<{ status: string }>('GET', `/v1/bulk-actions/${id}`);
    expect(status).toBe('completed');
  });
  return id;
}

function scriptTools(ledger: Scene['ledger']): void {
  const order = (total: number, customer: string): JsonObject => ({ total, currency: 'EUR', customer });
  for (const id of ['1001', '1002', '1003', '1004', '1009'])
    ledger.always(`/orders/${id}`, { body: order(39.9, 'j.meyer@example.net') });
  ledger.always('/orders/4711', { body: order(249, 'l.dubois@example.net') });
  ledger.always('/orders/4712', { body: order(180, 'p.novak@example.net') });
  // The connection to the shop breaks after the shop has received the refund and before it responds. The outcome of the
  // call is therefore unknown.
  ledger.always('/orders/1009/refunds', { drop: true });
  ledger.always('/invoices/INV-2081', { body: { total: 12_840, vendor: 'Nordlicht Logistik GmbH' } });
  ledger.always('/stock/closed', { status: 410, body: { error: 'The warehouse is closed.' } });
}

function aRefund(order: string, note: string): JsonObject {
  return { order, note };
}

async function openApprovalOf(client: ApiClient, run: string): Promise<string> {
  return eventually(async () => {
    const { data } = await client.expect<{ data: { id: string }[] }>('GET', `/v1/runs/${run}/approvals`);
    const [first] = data;
    if (first === undefined) throw new Error(`The run ${run} has no approval yet.`);
    return first.id;
  });
}

function theRefundDesk(url: string): JsonObject {
  return {
    name: 'refund-desk',
    description: 'Refunds orders within policy, and asks finance above 100 EUR.',
    input: {
      type: 'object',
      required: ['order'],
      properties: {
        order: { type: 'string', title: 'Order number', description: 'As on the invoice.' },
        note: { type: 'string', title: 'Reason of the customer' },
        goodwill: { type: 'number', description: 'Amount on top of the price.' },
        channel: { enum: ['mail', 'phone', 'shop'] },
        urgent: { type: 'boolean' },
        tags: { type: 'array', items: { type: 'string' } },
      },
    },
    tools: [
      {
        name: 'shop',
        type: 'http',
        base_url: url,
        operations: [
          { name: 'order', method: 'GET', path: '/orders/{id}' },
          { name: 'refund', method: 'POST', path: '/orders/{id}/refunds' },
        ],
      },
    ],
    policies: [
      {
        name: 'big-refund',
        when: 'tool.name == "shop.refund" && request.amount > 100.0',
        action: 'require_approval',
        approval: 'finance',
      },
      {
        name: 'no-fortune',
        when: 'tool.name == "shop.refund" && request.amount > 1000.0',
        action: 'deny',
        message: 'Refunds above 1000 EUR are made by hand.',
      },
    ],
    approvals: {
      finance: {
        approvers: ['finance'],
        timeout: '24h',
        on_timeout: 'fail',
        show: ['steps.order.output.customer', 'steps.order.output.total'],
      },
    },
    triggers: [
      { id: 'shop', type: 'webhook', filter: 'body.kind == "refund"', map: { order: '${{ body.order }}' } },
      { id: 'sweep', type: 'schedule', cron: '0 7 * * 1-5', timezone: 'Europe/Berlin', input: { order: '1001' } },
    ],
    steps: [
      { id: 'order', tool: 'shop.order', with: { id: '${{ input.order }}' } },
      {
        id: 'refund',
        tool: 'shop.refund',
        with: {
          id: '${{ input.order }}',
          amount: '${{ steps.order.output.total }}',
          reason: '${{ input.note }}',
          notify: ['${{ steps.order.output.customer }}'],
        },
      },
      { id: 'result', output: { refunded: true } },
    ],
  };
}

function aStockReport(url: string): JsonObject {
  return {
    name: 'stock-report',
    description: 'Reports the stock of a warehouse each morning.',
    input: { type: 'object', properties: { warehouse: { type: 'string' } } },
    tools: [
      {
        name: 'stock',
        type: 'http',
        base_url: url,
        operations: [{ name: 'levels', method: 'GET', path: '/stock/{warehouse}' }],
      },
    ],
    steps: [
      { id: 'levels', tool: 'stock.levels', with: { warehouse: '${{ input.warehouse }}' } },
      { id: 'result', output: { done: true } },
    ],
  };
}

function anInvoiceDesk(url: string): JsonObject {
  return {
    name: 'invoice-desk',
    description: 'Posts invoices that two people have signed.',
    input: { type: 'object', required: ['invoice'], properties: { invoice: { type: 'string' } } },
    tools: [
      {
        name: 'erp',
        type: 'http',
        base_url: url,
        operations: [
          { name: 'invoice', method: 'GET', path: '/invoices/{id}' },
          { name: 'post', method: 'POST', path: '/invoices/{id}/post' },
        ],
      },
    ],
    approvals: {
      signatures: { approvers: ['finance'], required: 2, timeout: '45m', on_timeout: 'fail' },
    },
    steps: [
      { id: 'invoice', tool: 'erp.invoice', with: { id: '${{ input.invoice }}' } },
      { id: 'sign', approval: 'signatures', show: ['steps.invoice.output.vendor', 'steps.invoice.output.total'] },
      { id: 'post', tool: 'erp.post', with: { id: '${{ input.invoice }}' } },
      { id: 'result', output: { posted: true } },
    ],
  };
}

const ADD_DAY = `
  insert into run_statistics (workspace_id, bucket, group_by, start_at, group_key, currency, runs, cost_micros, durations)
  values ($1, '1d', $2, date_trunc('day', now(), 'UTC') - $3 * interval '1 day', $4, 'EUR', $5::bigint, $5::bigint * 18400, '{"20": 1}')
  on conflict do nothing`;

/** Adds statistics of production runs for the working days from 13 days ago until yesterday. */
async function addHistory(stack: Scene['stack'], agents: Record<string, string>): Promise<void> {
  const ids = Object.values(agents);
  const add = (group: string, day: number, key: string, runs: number): Promise<unknown> =>
    runs === 0 ? Promise.resolve() : stack.query(ADD_DAY, [stack.workspaceId, group, day, key, runs]);
  const days = Array.from({ length: 13 }, (_, index) => index + 1).filter((day) => day % 7 !== 3 && day % 7 !== 4);
  for (const day of days) {
    const failed = day % 5 === 0 ? 4 : day % 2;
    await add('status/production', day, 'succeeded', 26 + ((day * 17) % 23));
    await add('status/production', day, 'failed', failed);
    for (const [index, id] of ids.entries()) await add('agent/production', day, id, 8 + ((day * 7 + index * 5) % 11));
  }
}
