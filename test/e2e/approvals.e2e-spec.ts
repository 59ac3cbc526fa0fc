import type { JsonObject } from '@app/kernel';
import type { ApiClient } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { aGroup, aMachine, aPerson } from '../support/people.js';
import { Scene } from '../support/scene.js';

interface ApprovalAnswer {
  id: string;
  status: string;
  request: JsonObject;
  decisions: { by: string; decision: string }[];
}

interface Problem {
  code: string;
  [member: string]: unknown;
}

const APPROVAL = { approvers: ['finance'], timeout: '1h', show: ['request.amount'] };

/**
 * An agent that refunds the amount in its input. An amount above 100 needs an approval, and an amount above 10 000 is
 * denied.
 */
const aRefundDesk = (url: string, approval: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  name: `refund-desk-${++agents}`,
  input: { type: 'object', properties: { amount: { type: 'number' } } },
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
          request: {
            type: 'object',
            required: ['amount'],
            additionalProperties: false,
            properties: { amount: { type: 'number', exclusiveMinimum: 0 }, note: { type: 'string' } },
          },
        },
      ],
    },
  ],
  policies: [
    // If several policies require an approval, the first one that matches determines the approvers.
    { name: 'huge-refund', when: 'request.amount > 5000.0', action: 'require_approval', approval: 'board' },
    { name: 'big-refund', when: 'request.amount > 100.0', action: 'require_approval', approval: 'finance' },
    { name: 'never', when: 'request.amount > 10000.0', action: 'deny', message: 'Too large for any approver.' },
  ],
  approvals: { finance: { ...APPROVAL, ...approval }, board: { approvers: ['board'] } },
  hand_off: { to: ['support-tier2'] },
  steps: [
    { id: 'refund', tool: 'orders.refund', with: { amount: '${{ input.amount }}', note: 'as agreed' } },
    { id: 'result', output: { refunded: true } },
  ],
  ...more,
});
let agents = 0;

describe('a call that needs a person', () => {
  let scene: Scene;
  let ann: ApiClient;
  let eve: ApiClient;
  let bob: ApiClient;
  let stranger: ApiClient;

  beforeAll(async () => {
    scene = await Scene.start();
    ann = await aPerson(scene.stack, 'ann@example.com');
    eve = await aPerson(scene.stack, 'eve@example.com');
    bob = await aPerson(scene.stack, 'bob@example.com');
    stranger = await aPerson(scene.stack, 'mallory@example.com', { role: 'admin' });
    await aGroup(scene.stack, 'finance', ['eve@example.com', 'bob@example.com']);
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  const admin = () => scene.stack.client;

  const startRefund = async (amount: number, definition = aRefundDesk(scene.ledger.url)): Promise<string> =>
    (await ann.startRun(await admin().createAgent(definition), { amount })).id;

  const openApproval = (run: string): Promise<ApprovalAnswer> =>
    eventually(async () => {
      const shown = await admin().expect<{ status: string; approvals: ApprovalAnswer[] }>('GET', `/v1/runs/${run}`);
      expect(shown).toMatchObject({ status: 'waiting_approval', approvals: [{ status: 'open' }] });
      return shown.approvals[0]!;
    });

  const aWaitingRefund = async (amount: number, approval: JsonObject = {}, more: JsonObject = {}) => {
    const run = await startRefund(amount, aRefundDesk(scene.ledger.url, approval, more));
    return { run, approval: await openApproval(run) };
  };

  const decide = (person: ApiClient, { run, approval }: { run: string; approval: { id: string } }, body: JsonObject) =>
    person.call<ApprovalAnswer & Problem>('POST', `/v1/runs/${run}/approvals/${approval.id}`, body);

  const ended = (run: string, as: object) => eventually(async () => expect(await admin().run(run)).toMatchObject(as));

  const sent = () => scene.ledger.callsOf('/refunds').map((call) => JSON.parse(call.body) as JsonObject);

  it('waits for one and, approved, is made exactly once as it was shown', async () => {
    const waiting = await aWaitingRefund(900);
    expect(waiting.approval).toMatchObject({
      tool: 'orders.refund',
      reason: 'request.amount > 100.0',
      policy: 'big-refund',
      approvers: ['finance'],
      kind: 'tool_call',
      run: waiting.run,
      version: 1,
      request: { amount: 900, note: 'as agreed' },
      show: { 'request.amount': 900 },
      allowed_decisions: ['approve', 'edit', 'reject'],
      required: 1,
      decisions: [],
      decided_at: null,
    });
    expect(sent()).toEqual([]);
    const answer = await decide(eve, waiting, { decision: 'approve', comment: 'fine' });
    expect(answer).toMatchObject({
      status: 200,
      body: { status: 'approved', decisions: [{ by: 'eve@example.com', decision: 'approve', comment: 'fine' }] },
    });
    await ended(waiting.run, { status: 'succeeded', output: { refunded: true } });
    expect(sent()).toEqual([waiting.approval.request]);

    const { steps } = await admin().trace(waiting.run);
    expect(steps.map(({ n, type, status }) => `${n} ${type} ${status}`)).toEqual([
      '1 trigger succeeded',
      '2 approval approved',
      '3 tool_call succeeded',
      '4 output succeeded',
    ]);
    expect(steps[1]).toMatchObject({ policy: 'big-refund', approvers: ['finance'], decided_by: ['eve@example.com'] });
    const events = await scene.stack.query<{ type: string }>('select type from events where run_id = $1', [
      waiting.run,
    ]);
    expect(events.map(({ type }) => type).sort()).toEqual([
      'approval.decided',
      'run.approval_requested',
      'run.completed',
    ]);
  });

  it('is in the inbox while it waits, and reading decides nothing', async () => {
    const { run, approval } = await aWaitingRefund(900);
    const inbox = () => eve.expect<{ data: ApprovalAnswer[] }>('GET', '/v1/approvals?status=open&limit=100');
    expect((await inbox()).data.map(({ id }) => id)).toContain(approval.id);
    expect(await eve.expect('GET', `/v1/runs/${run}/approvals/${approval.id}`)).toMatchObject({ status: 'open' });
    expect(await eve.expect('GET', `/v1/runs/${run}/approvals`)).toMatchObject({ data: [{ id: approval.id }] });
    const listed = await eve.expect<{ data: { id: string; approvals: object[] }[] }>('GET', '/v1/runs');
    expect(listed.data.find(({ id }) => id === run)?.approvals).toMatchObject([{ id: approval.id, status: 'open' }]);
    await decide(eve, { run, approval }, { decision: 'reject' });
    expect((await inbox()).data.map(({ id }) => id)).not.toContain(approval.id);
    const closed = await eve.expect<{ data: ApprovalAnswer[] }>('GET', '/v1/approvals?status=rejected&status=expired');
    expect(closed.data.map(({ id }) => id)).toContain(approval.id);
    expect((await eve.call('GET', '/v1/approvals?status=done')).status).toBe(400);
  });

  it('that is rejected is never made, and says by whom the run failed', async () => {
    const waiting = await aWaitingRefund(900);
    expect(await decide(eve, waiting, { decision: 'reject' })).toMatchObject({
      status: 200,
      body: { status: 'rejected' },
    });
    expect(await admin().run(waiting.run)).toMatchObject({
      status: 'failed',
      error: { code: 'approval_rejected', step: 'refund' },
    });
    expect(sent()).toEqual([]);
    const { steps } = await admin().trace(waiting.run);
    expect(steps.find(({ type }) => type === 'tool_call')).toMatchObject({ status: 'denied', duration_ms: 0 });
    const late = await decide(bob, waiting, { decision: 'approve' });
    expect(late).toMatchObject({
      status: 409,
      body: { code: 'approval_already_decided', approval_status: 'rejected', decisions: [{ by: 'eve@example.com' }] },
    });
    expect((await decide(eve, waiting, { decision: 'reject' })).status).toBe(200);
  });

  it('of two that decide at the same time hears one', async () => {
    const waiting = await aWaitingRefund(900);
    const answers = await Promise.all([
      decide(eve, waiting, { decision: 'approve' }),
      decide(bob, waiting, { decision: 'reject' }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const winner = answers.find(({ status }) => status === 200)?.body.status;
    await ended(waiting.run, { status: winner === 'approved' ? 'succeeded' : 'failed' });
    expect(sent()).toHaveLength(winner === 'approved' ? 1 : 0);
  });

  it('needs as many different people as its rule says', async () => {
    const waiting = await aWaitingRefund(900, { required: 2 });
    expect(await decide(eve, waiting, { decision: 'approve' })).toMatchObject({
      status: 200,
      body: { status: 'open' },
    });
    expect(await decide(eve, waiting, { decision: 'approve' })).toMatchObject({
      status: 200,
      body: { status: 'open' },
    });
    expect(sent()).toEqual([]);
    expect((await decide(bob, waiting, { decision: 'approve' })).body).toMatchObject({ status: 'approved' });
    await ended(waiting.run, { status: 'succeeded' });
    expect(sent()).toHaveLength(1);
  });

  it('counts decisions of members who were approvers at that time, and refuses those of former approvers', async () => {
    await aGroup(scene.stack, 'leads', ['eve@example.com', 'bob@example.com', 'mallory@example.com']);
    const waiting = await aWaitingRefund(900, { approvers: ['leads'], required: 2 });
    expect((await decide(eve, waiting, { decision: 'approve' })).body).toMatchObject({ status: 'open' });
    await admin().expect('PATCH', '/v1/groups/leads', { members: ['bob@example.com'] });
    expect(await decide(stranger, waiting, { decision: 'approve' })).toMatchObject({
      status: 403,
      body: { code: 'not_an_approver' },
    });
    expect((await decide(bob, waiting, { decision: 'approve' })).body).toMatchObject({ status: 'approved' });
    await ended(waiting.run, { status: 'succeeded' });
  });

  it('is not decided by strangers, by the member who started the run, or with invalid bodies', async () => {
    const waiting = await aWaitingRefund(900, { approvers: ['finance', 'starters'] });
    await aGroup(scene.stack, 'starters', ['ann@example.com']);
    const refused = async (person: ApiClient, body: JsonObject) => {
      const { status, body: problem } = await decide(person, waiting, body);
      return `${status} ${problem.code}`;
    };
    expect(await refused(stranger, { decision: 'approve' })).toBe('403 not_an_approver');
    expect(await refused(stranger, { decision: 'edit', request: { amount: 'x' } })).toBe('403 not_an_approver');
    expect(await refused(ann, { decision: 'approve' })).toBe('403 self_approval_forbidden');
    const viewer = await aPerson(scene.stack, 'viewer@example.com', { role: 'viewer' });
    expect(await refused(viewer, { decision: 'approve' })).toBe('403 not_an_approver');
    const machine = await aMachine(scene.stack, 'eve@example.com', 'operator');
    expect(await refused(machine, { decision: 'approve' })).toBe('403 automation_key');
    expect(await refused(machine, { decision: 'reject' })).toBe('403 automation_key');
    expect(await refused(eve, { decision: 'retry' })).toBe('400 invalid_request');
    expect(await refused(eve, { decision: 'yes' })).toBe('400 invalid_request');
    expect(await refused(eve, {})).toBe('400 invalid_request');
    expect(await refused(eve, { decision: 'approve', request: { amount: 1 } })).toBe('400 invalid_request');
    expect(await refused(eve, { decision: 'edit' })).toBe('400 invalid_request');
    const elsewhere = {
      run: waiting.run.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      approval: waiting.approval,
    };
    expect((await decide(eve, elsewhere, { decision: 'approve' })).status).toBe(404);
    expect(await openApproval(waiting.run)).toMatchObject({ decisions: [] });
  });

  it('takes other arguments from an approver, within the schema and the policies', async () => {
    const waiting = await aWaitingRefund(900);
    const edit = (request: JsonObject) => decide(eve, waiting, { decision: 'edit', request });
    expect(await edit({ amount: -1, tip: 2 })).toMatchObject({ status: 422, body: { code: 'input_invalid' } });
    const odd = JSON.parse('{ "amount": 5, "__proto__": { "a": 1 } }') as JsonObject;
    expect(await edit(odd)).toMatchObject({ status: 422, body: { errors: [{ pointer: '/request/__proto__' }] } });
    const denied = await edit({ amount: 20_000 });
    expect(denied).toMatchObject({
      status: 422,
      body: { code: 'input_invalid', detail: expect.stringContaining('never') },
    });
    const escalated = await edit({ amount: 6_000 });
    expect(escalated).toMatchObject({ status: 422, body: { detail: expect.stringContaining('board') } });
    expect(await openApproval(waiting.run)).toMatchObject({ request: { amount: 900 } });
    expect(await edit({ amount: 50 })).toMatchObject({
      status: 200,
      body: { status: 'approved', request: { amount: 50 }, show: { 'request.amount': 50 } },
    });
    await ended(waiting.run, { status: 'succeeded' });
    expect(sent()).toEqual([{ amount: 50 }]);
  });

  it('that was edited meanwhile is not approved by a decision that names the earlier request', async () => {
    const { run, approval } = await aWaitingRefund(900, { required: 2 });
    const path = `/v1/runs/${run}/approvals/${approval.id}`;
    const seen = await bob.call<ApprovalAnswer>('GET', path);
    const etag = seen.headers.get('etag') ?? '';
    expect(await eve.call('POST', path, { decision: 'edit', request: { amount: 800 } })).toMatchObject({ status: 200 });
    const approve = (ifMatch: string) =>
      bob.call<ApprovalAnswer & Problem>('POST', path, { decision: 'approve' }, { 'if-match': ifMatch });
    expect(await approve('nonsense')).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(await approve(etag)).toMatchObject({ status: 412, body: { code: 'precondition_failed' } });
    const now = (await bob.call<ApprovalAnswer>('GET', path)).headers.get('etag') ?? '';
    expect(await approve(now)).toMatchObject({ status: 200, body: { status: 'approved', request_revision: 2 } });
    await ended(run, { status: 'succeeded' });
    expect(sent()).toEqual([{ amount: 800 }]);
  });

  it('that was edited and fails is tried again with the new arguments, not with those of the plan', async () => {
    const definition = aRefundDesk(
      scene.ledger.url,
      {},
      { retry: { max_attempts: 2, initial: '10ms', retry_on: ['tool_error'] } },
    );
    const [tool] = definition.tools as [{ operations: [JsonObject] }];
    Object.assign(tool.operations[0], { effect: 'idempotent', idempotency: { header: 'Idempotency-Key' } });
    const run = await startRefund(900, definition);
    scene.ledger.script('/refunds', { status: 503 });
    await decide(eve, { run, approval: await openApproval(run) }, { decision: 'edit', request: { amount: 50 } });
    await ended(run, { status: 'succeeded' });
    expect(sent()).toEqual([{ amount: 50 }, { amount: 50 }]);
    expect(new Set(scene.ledger.calls.map((call) => call.idempotencyKey)).size).toBe(1);
  });

  it('that is not decided in time follows its rule, and the call is never made', async () => {
    const failing = await aWaitingRefund(900, { timeout: '1s', on_timeout: 'fail' });
    const handed = await aWaitingRefund(901, { timeout: '1s', on_timeout: 'hand_off' });
    await ended(failing.run, { status: 'failed', error: { code: 'approval_expired' } });
    await ended(handed.run, { status: 'handed_off', output: { to: ['support-tier2'] } });
    expect(sent()).toEqual([]);
    expect((await decide(eve, failing, { decision: 'approve' })).body).toMatchObject({ approval_status: 'expired' });
    const { steps } = await admin().trace(handed.run);
    expect(steps.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'trigger succeeded',
      'approval expired',
      'tool_call denied',
      'hand_off succeeded',
    ]);
  });

  it('that is rejected leads to the steps for a failure, where there are some', async () => {
    const onFailure = [{ id: 'note', tool: 'orders.refund', with: { amount: 1, note: '${{ error.code }}' } }];
    const waiting = await aWaitingRefund(900, {}, { on_failure: onFailure });
    await decide(eve, waiting, { decision: 'reject' });
    await ended(waiting.run, { status: 'failed', error: { code: 'approval_rejected', step: 'refund' } });
    expect(sent()).toEqual([{ amount: 1, note: 'approval_rejected' }]);
  });

  it('that is rejected or expires lets a plan continue whose step may fail', async () => {
    const mayFail = (place: JsonObject): JsonObject => ({ ...place, continue_on_error: true });
    const refund = { id: 'refund', tool: 'orders.refund', with: { amount: '${{ input.amount }}' } };
    const result = { id: 'result', output: { refund: '${{ steps.refund.output }}' } };
    const rejected = await aWaitingRefund(900, {}, { steps: [mayFail(refund), result] });
    await decide(eve, rejected, { decision: 'reject' });
    await ended(rejected.run, { status: 'succeeded', output: { refund: null }, error: null });
    const around = { id: 'around', switch: [{ steps: [{ id: 'sign', approval: 'finance' }] }] };
    const steps = [mayFail(around), { id: 'result', output: { went: 'on' } }];
    const expired = await aWaitingRefund(7, { timeout: '1s', on_timeout: 'fail' }, { steps });
    // `show` names a field of the request. An approval step has no request, so the value is null.
    expect(expired.approval).toMatchObject({ kind: 'step', show: { 'request.amount': null } });
    await ended(expired.run, { status: 'succeeded', output: { went: 'on' } });
    expect(sent()).toEqual([]);
  });

  it('that is rejected or expires fails the run, hands it off or continues it, as its rule says', async () => {
    const steps: JsonObject[] = [
      { id: 'refund', tool: 'orders.refund', with: { amount: '${{ input.amount }}' } },
      { id: 'sign', approval: 'finance' },
      { id: 'result', output: { refund: '${{ steps.refund.output }}', signed: '${{ steps.sign.output }}' } },
    ];
    const handed = await aWaitingRefund(900, { on_reject: 'hand_off' }, { steps });
    await decide(eve, handed, { decision: 'reject', comment: 'Ask support.' });
    await ended(handed.run, { status: 'handed_off', output: { to: ['support-tier2'] }, error: null });

    const goingOn = await aWaitingRefund(900, { on_reject: 'continue' }, { steps });
    await decide(eve, goingOn, { decision: 'reject' });
    const sign = await eventually(async () => {
      const { approvals } = await admin().expect<{ approvals: ApprovalAnswer[] }>('GET', `/v1/runs/${goingOn.run}`);
      expect(approvals).toMatchObject([{ status: 'rejected' }, { status: 'open', kind: 'step' }]);
      return approvals[1]!;
    });
    await decide(bob, { run: goingOn.run, approval: sign }, { decision: 'reject', comment: 'Not by me.' });
    const signed = { decision: 'reject', comment: 'Not by me.', decided_by: ['bob@example.com'] };
    await ended(goingOn.run, { status: 'succeeded', output: { refund: null, signed } });

    const rule = { timeout: '1s', on_timeout: 'reject', on_reject: 'continue' };
    const unanswered = await aWaitingRefund(900, rule, { steps });
    const expired = { decision: 'expire', comment: null, decided_by: [] };
    await ended(unanswered.run, { status: 'succeeded', output: { refund: null, signed: expired } });
    expect(sent()).toEqual([]);
  });

  it('is cancelled with its run', async () => {
    const waiting = await aWaitingRefund(900);
    expect(await admin().cancel(waiting.run)).toMatchObject({
      status: 'cancelled',
      approvals: [{ status: 'cancelled' }],
    });
    expect(await decide(eve, waiting, { decision: 'approve' })).toMatchObject({ status: 409 });
    expect(sent()).toEqual([]);
  });

  it('can be read and rejected while the workspace is stopped, and approved after the resume', async () => {
    const [kept, rejected] = [await aWaitingRefund(900), await aWaitingRefund(901)];
    const { agent } = await admin().run(kept.run);
    await admin().expect('POST', '/v1/workspace/emergency-stop', {});
    const run = `/v1/runs/${kept.run}`;
    for (const path of [run, `${run}/trace`, `${run}/approvals`, '/v1/approvals?status=open', '/v1/runs'])
      expect([path, (await eve.call('GET', path)).status]).toEqual([path, 200]);
    const stopped = { status: 409, body: { code: 'workspace_stopped' } };
    expect(await decide(eve, kept, { decision: 'approve' })).toMatchObject(stopped);
    expect(await decide(eve, kept, { decision: 'edit', request: { amount: 1 } })).toMatchObject(stopped);
    expect(await admin().call('POST', `/v1/agents/${agent}/runs`, { input: { amount: 1 } })).toMatchObject(stopped);
    expect(await decide(eve, rejected, { decision: 'reject' })).toMatchObject({ status: 200 });
    expect(await admin().call('POST', `/v1/runs/${rejected.run}/replay`, { mode: 'production' })).toMatchObject(
      stopped,
    );
    expect(await openApproval(kept.run)).toMatchObject({ decisions: [] });
    await admin().expect('POST', '/v1/workspace/resume', {});
    await ended(rejected.run, { status: 'failed', error: { code: 'approval_rejected' } });
    expect(await decide(eve, kept, { decision: 'approve' })).toMatchObject({ status: 200 });
    await ended(kept.run, { status: 'succeeded' });
    expect(sent()).toEqual([{ amount: 900, note: 'as agreed' }]);
  });

  it('is denied without an approval where a policy denies it', async () => {
    const run = await startRefund(20_000);
    await ended(run, {
      status: 'failed',
      error: { code: 'tool_denied', message: 'Too large for any approver.', step: 'refund' },
    });
    const { steps } = await admin().trace(run);
    expect(steps[1]).toMatchObject({ type: 'tool_call', status: 'denied', tool: 'orders.refund' });
    expect(sent()).toEqual([]);
  });

  it('requests no approval below the limit', async () => {
    const run = await startRefund(100);
    await ended(run, { status: 'succeeded' });
    expect(await admin().run(run)).toMatchObject({ approvals: [] });
    expect(sent()).toHaveLength(1);
  });

  it('is requested alone, after concurrent steps have ended', async () => {
    scene.ledger.script('/refunds', { hang: true });
    const branches: JsonObject[] = [
      { id: 'one', approval: 'finance' },
      { id: 'two', approval: 'finance' },
      { id: 'small', tool: 'orders.refund', with: { amount: 1 } },
    ];
    const steps: JsonObject[] = [
      { id: 'together', parallel: branches.map((step) => ({ steps: [step] })) },
      { id: 'result', output: { done: true } },
    ];
    const run = await startRefund(1, aRefundDesk(scene.ledger.url, {}, { steps }));
    await scene.ledger.called('/refunds');
    expect(await admin().run(run)).toMatchObject({ status: 'running', approvals: [] });
    scene.ledger.release('/refunds');

    const first = await openApproval(run);
    expect(await admin().run(run)).toMatchObject({ approvals: [{ id: first.id }] });
    await decide(eve, { run, approval: first }, { decision: 'approve' });
    const second = await eventually(async () => {
      const { approvals } = await admin().expect<{ approvals: ApprovalAnswer[] }>('GET', `/v1/runs/${run}`);
      expect(approvals.map(({ status }) => status)).toEqual(['approved', 'open']);
      return approvals[1]!;
    });
    await decide(eve, { run, approval: second }, { decision: 'approve' });
    await ended(run, { status: 'succeeded' });
  });

  it('and a step that is an approval waits alike, and shows what it is about', async () => {
    const steps: JsonObject[] = [
      { id: 'sum', let: { net: '${{ input.amount }}' } },
      { id: 'sign', approval: 'finance', show: ['steps.sum.output.net'] },
      { id: 'result', output: { signed: '${{ steps.sign.output.decision }}' } },
    ];
    const waiting = await aWaitingRefund(7, {}, { steps });
    expect(waiting.approval).toMatchObject({ kind: 'step', tool: 'sign', show: { 'steps.sum.output.net': 7 } });
    expect((await decide(eve, waiting, { decision: 'edit', request: {} })).status).toBe(400);
    await decide(eve, waiting, { decision: 'approve' });
    await ended(waiting.run, { status: 'succeeded', output: { signed: 'approve' } });
  });
});
