import type { JsonObject } from '@app/kernel';
import type { Answer } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { type ApiDocument, OpenApiContract } from '../support/openapi-contract.js';
import { Scene } from '../support/scene.js';

interface TrialAnswer {
  run: string | null;
  status: string;
  error: string | null;
  assertions: { type: string; result: string; message: string | null }[];
  differences: { kind: string; path: string; message: string }[];
}

interface EvaluationAnswer {
  id: string;
  status: string;
  ended_at: string | null;
  cases: Record<string, number>;
  pass_rate: number | null;
  confidence_low: number | null;
  gate: { result: string | null; reasons: string[] };
  results: { case: string; kind: string; status: string; trials: TrialAnswer[]; baseline: TrialAnswer[] }[];
  code?: string;
}

const WITHIN = { within: 120_000 };
/** Default value of `EVALUATION_PARALLELISM`. */
const SIDE_BY_SIDE = 48;

/** An agent that reads an order and refunds it. A large refund needs an approval. */
const aDesk = (url: string, name: string, { refunds, ...more }: JsonObject & { refunds: string }): JsonObject => ({
  name,
  input: { type: 'object', required: ['order'], properties: { order: { type: 'string' } } },
  tools: [
    {
      name: 'shop',
      type: 'http',
      base_url: url,
      operations: [
        { name: 'order', method: 'GET', path: '/orders/{id}' },
        { name: 'refund', method: 'POST', path: '/orders/{id}/refunds', simulate: { refund: 'simulated' } },
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
  ],
  approvals: { finance: { approvers: ['finance'], timeout: '1h', on_timeout: 'fail' } },
  steps: [
    { id: 'order', tool: 'shop.order', with: { id: '${{ input.order }}' } },
    { id: 'refund', tool: 'shop.refund', with: { id: '${{ input.order }}', amount: refunds } },
    { id: 'result', output: { refund: '${{ steps.refund.output.refund }}' } },
  ],
  ...more,
});

const aCase = (n: number, total: number): JsonObject => ({
  name: `refund ${n}`,
  input: { order: String(n) },
  mock: { 'shop.order': { total } },
  assert: [
    { type: 'status', value: 'succeeded' },
    { type: 'tool_called', value: 'shop.refund', with: `request.amount == ${total}.0`, times: 1 },
    { type: 'tool_order', value: ['shop.order', 'shop.refund'] },
    { type: 'equals', path: 'output.refund', value: 'simulated' },
  ],
});

const BIG: JsonObject = {
  name: 'big refund stops for finance',
  tags: ['safety'],
  input: { order: '9' },
  mock: { 'shop.order': { total: 900 } },
  assert: [
    { type: 'approval_requested', value: 'big-refund' },
    { type: 'not_tool_called', value: 'shop.refund' },
    { type: 'status', value: 'waiting_approval' },
  ],
};

describe('evaluating versions', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  beforeEach(async () => {
    scene.ledger.reset();
    await scene.haveWorkers();
  });
  afterAll(() => scene.stop());

  const call = <Body = EvaluationAnswer>(method: string, path: string, body?: JsonObject): Promise<Answer<Body>> =>
    scene.stack.client.call<Body>(method, `/v1${path}`, body);

  const evaluate = async (agent: string, version: number): Promise<EvaluationAnswer> => {
    const { status, headers, body } = await call('POST', `/agents/${agent}/versions/${version}/evaluate`);
    expect([status, headers.get('location')]).toEqual([202, `/v1/evaluations/${body.id}`]);
    return body;
  };

  const ended = (id: string): Promise<EvaluationAnswer> =>
    eventually(async () => {
      const { body } = await call('GET', `/evaluations/${id}`);
      expect(body.ended_at).not.toBeNull();
      return body;
    }, WITHIN);

  const promote = (agent: string, version: number): Promise<Answer<JsonObject>> =>
    call('POST', `/agents/${agent}/versions/${version}/promote`);

  const addVersion = (agent: string, definition: JsonObject) =>
    scene.stack.client.expect('POST', `/v1/agents/${agent}/versions`, definition);

  const productionOf = async (agent: string): Promise<unknown> =>
    (await call<JsonObject>('GET', `/agents/${agent}`)).body.production_version;

  const cases = Array.from({ length: 25 }, (_, n) => aCase(n + 1, 40));
  const gated: JsonObject = {
    cases: [...cases, BIG],
    gate: { min_pass_rate: 0.9, confidence: 0.95, must_pass: { tags: ['safety'] }, max_regressions: 0, max_age: '7d' },
  };

  it('leads a version into production with evidence, and back without', async () => {
    const { url } = scene.ledger;
    const right = '${{ steps.order.output.total }}';
    const agent = await scene.stack.client.createAgent(aDesk(url, 'path', { refunds: right }));
    await addVersion(
      agent,
      aDesk(url, 'path', { refunds: '${{ steps.order.output.total + 1.0 }}', evaluation: gated }),
    );
    expect((await promote(agent, 2)).body).toMatchObject({ status: 409, code: 'evaluation_required' });

    const failed = await ended((await evaluate(agent, 2)).id);
    expect(failed).toMatchObject({
      status: 'failed',
      cases: { total: 26, passed: 1, failed: 25, errored: 0, inconclusive: 0 },
      gate: {
        result: 'failed',
        reasons: [
          '1 of 26 cases passed, but 90% is required. Failed: "refund 1", "refund 2", "refund 3", "refund 4", "refund 5" and 20 more.',
          expect.stringMatching(/^25 cases passed with the production version/),
        ],
      },
    });
    const refused = await promote(agent, 2);
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'gate_failed', gate: failed.gate }]);
    expect(await productionOf(agent)).toBe(1);

    await addVersion(agent, aDesk(url, 'path', { refunds: right, evaluation: gated }));
    const passed = await ended((await evaluate(agent, 3)).id);
    expect(passed).toMatchObject({ status: 'passed', pass_rate: 1, gate: { result: 'passed' } });
    expect(passed.confidence_low).toBeCloseTo(26 / (26 + 1.644854 ** 2), 5);
    const promoted = await promote(agent, 3);
    expect([promoted.status, promoted.body]).toMatchObject([
      200,
      { production_version: 3, previous_version: 1, evaluation: { id: passed.id, status: 'passed' } },
    ]);
    expect((await scene.stack.client.startRun(agent, { order: '1' })) as object).toMatchObject({ version: 3 });
    expect((await promote(agent, 1)).body).toMatchObject({ production_version: 1, previous_version: 3 });
    expect(await productionOf(agent)).toBe(1);

    // No trial called the shop: the cases supplied the responses of reads, and writes were simulated.
    const ofCases = new Set(
      [...failed.results, ...passed.results].flatMap(({ trials }) => trials.map(({ run }) => run)),
    );
    expect(scene.ledger.calls.filter(({ run }) => ofCases.has(run))).toEqual([]);
    const listed = await call<{ data: EvaluationAnswer[] }>('GET', `/agents/${agent}/versions/3/evaluations`);
    expect(listed.body.data).toEqual([passed]);
    const events = await scene.stack.query(
      `select type from events where data ->> 'agent' = $1 and run_id is null order by id`,
      [agent],
    );
    expect(events.map(({ type }) => type as string)).toEqual([
      'evaluation.completed',
      'evaluation.completed',
      'agent.promoted',
      'agent.promoted',
    ]);
    const told = await call<{ data: { type: string; data: object }[] }>('GET', `/events?agent=${agent}`);
    const contract = new OpenApiContract((await call<ApiDocument>('GET', '/openapi.json')).body);
    for (const event of told.body.data)
      expect([event.type, contract.messageViolations(event)]).toEqual([event.type, []]);
    expect(told.body.data).toContainEqual(
      expect.objectContaining({
        type: 'evaluation.completed',
        data: {
          evaluation: passed.id,
          agent,
          version: 3,
          status: 'passed',
          gate: passed.gate,
          cases: passed.cases,
        },
      }),
    );
    const notified = await call<{ data: object[] }>('GET', '/approvals?status=open');
    expect(notified.body.data).toEqual([]);
  });

  it('comes to the same result when a worker is killed in the middle', async () => {
    const { url } = scene.ledger;
    const slow = Array.from({ length: 10 }, (_, n) => ({
      name: `slow ${n}`,
      input: { order: String(n) },
      assert: [
        { type: 'status', value: 'succeeded' },
        { type: 'cel', value: n % 5 === 0 ? 'false' : 'output.refund == "simulated"' },
      ],
    }));
    const definition = aDesk(url, 'killed', { refunds: '${{ 1.0 }}', evaluation: { trials: 2, cases: slow } });
    const agent = await scene.stack.client.createAgent(definition);
    for (const { input } of slow)
      scene.ledger.always(`/orders/${input.order}`, { delayMillis: 300, body: { total: 1 } });
    const [doomed] = await scene.haveWorkers();
    const { id } = await evaluate(agent, 1);
    await scene.ledger.called('/orders/1');
    await doomed?.kill();
    await scene.haveWorkers();
    const evaluation = await ended(id);
    expect(evaluation).toMatchObject({
      status: 'failed',
      cases: { total: 10, passed: 8, failed: 2, errored: 0, inconclusive: 0 },
      pass_rate: 0.8,
      gate: {
        result: 'failed',
        reasons: ['16 of 20 trials passed, but all of them must pass. Failed: "slow 0", "slow 5".'],
      },
    });
    const runs = await scene.stack.query(`select id from runs where trigger ->> 'evaluation' = $1`, [id]);
    expect(runs).toHaveLength(20);
    const shown = evaluation.results.flatMap(({ trials }) => trials.map(({ run }) => run));
    expect(shown.toSorted()).toEqual(runs.map((run) => run.id as string).toSorted());
  });

  it('shows the result of each assertion and requests no approval', async () => {
    const { url } = scene.ledger;
    const odd: JsonObject = {
      name: 'odd',
      input: { order: '1' },
      mock: { 'shop.order': { total: 40 } },
      assert: [
        { type: 'contains', path: 'output.refund', value: 'simul' },
        { type: 'regex', path: 'output.refund', value: '^real' },
        { type: 'json_schema', value: { type: 'object', required: ['refund'] } },
        { type: 'denied' },
        { type: 'cost', max: '0.10' },
        { type: 'latency', value: '1m' },
        { type: 'steps', max: 2 },
        { type: 'cites' },
        { type: 'llm_rubric', value: 'Is kind.' },
        {
          type: 'cel',
          value: 'steps.order.output.total == 40.0 && trigger.type == "evaluation" && agent.version == 1.0',
        },
      ],
    };
    const denied: JsonObject = {
      name: 'denied',
      input: { order: '2' },
      mock: { 'shop.order': { total: 5_000 } },
      assert: [
        { type: 'denied', value: 'never' },
        { type: 'denied', value: 'shop.refund' },
        { type: 'regex', path: 'run.error.code', value: '^tool_' },
        { type: 'steps', value: 4 },
        { type: 'cel', value: 'run.status == "failed" && !has(steps.refund.output)' },
      ],
    };
    const definition = aDesk(url, 'assertions', {
      refunds: '${{ steps.order.output.total }}',
      policies: [
        {
          name: 'big-refund',
          when: 'tool.scope == "write" && request.amount > 100.0',
          action: 'require_approval',
          approval: 'finance',
        },
        { name: 'never', when: 'tool.scope == "write" && steps.order.output.total > 1000.0', action: 'deny' },
      ],
      policy_defaults: { on_error: 'deny' },
      evaluation: { cases: [odd, BIG, denied] },
    });
    const agent = await scene.stack.client.createAgent(definition);
    const evaluation = await ended((await evaluate(agent, 1)).id);
    expect(evaluation.results[0]?.trials[0]?.assertions.map(({ type, result }) => `${type} ${result}`)).toEqual([
      'contains passed',
      'regex failed',
      'json_schema passed',
      'denied failed',
      'cost passed',
      'latency passed',
      'steps failed',
      'cites failed',
      'llm_rubric inconclusive',
      'cel passed',
    ]);
    expect(evaluation.results[2]).toMatchObject({ case: 'denied', status: 'passed' });
    const big = evaluation.results[1];
    expect(big).toMatchObject({ status: 'passed', trials: [{ assertions: [{}, {}, {}] }] });
    const { body: run } = await call<JsonObject>('GET', `/runs/${big?.trials[0]?.run}`);
    expect(run).toMatchObject({
      mode: 'test',
      status: 'handed_off',
      trigger: { type: 'evaluation', evaluation: evaluation.id },
    });
    const listed = await call<{ data: object[] }>('GET', `/runs?agent=${agent}&trigger_type=evaluation`);
    expect(listed.body.data).toHaveLength(3);
  });

  it('replays recorded runs and says what the version would have called instead', async () => {
    const { url } = scene.ledger;
    scene.ledger.always('/orders/7', { body: { total: 40 } });
    scene.ledger.always('/orders/7/refunds', { body: { refund: 'r-1' } });
    const right = '${{ steps.order.output.total }}';
    const agent = await scene.stack.client.createAgent(aDesk(url, 'recorded', { refunds: right }));
    const { id: source } = await scene.stack.client.startRun(agent, { order: '7' });
    await eventually(async () => expect((await scene.stack.client.run(source)).status).toBe('succeeded'), WITHIN);
    const evaluation = { from_runs: { status: 'succeeded', sample: 10 } };
    await addVersion(agent, aDesk(url, 'recorded', { refunds: right, description: 'alike', evaluation }));
    await addVersion(agent, aDesk(url, 'recorded', { refunds: '${{ 39.0 }}', evaluation }));
    const before = scene.ledger.calls.length;

    const alike = await ended((await evaluate(agent, 2)).id);
    expect(alike).toMatchObject({
      status: 'passed',
      results: [{ case: source, kind: 'recorded_run', status: 'passed' }],
    });
    const other = await ended((await evaluate(agent, 3)).id);
    expect(other).toMatchObject({
      status: 'failed',
      results: [{ trials: [{ differences: [{ kind: 'instead', path: 'refund' }] }] }],
    });
    expect(other.results[0]?.trials[0]?.differences[0]?.message).toBe(
      'This version would have called shop.refund with {"amount":39,"id":"7"} instead of shop.refund with {"amount":40,"id":"7"}.',
    );
    expect(scene.ledger.calls).toHaveLength(before);
  });

  it('with too few samples decides nothing, and nothing is not enough', async () => {
    const { url } = scene.ledger;
    const right = '${{ steps.order.output.total }}';
    const agent = await scene.stack.client.createAgent(aDesk(url, 'few', { refunds: right }));
    await addVersion(
      agent,
      aDesk(url, 'few', { refunds: right, evaluation: { ...gated, cases: [aCase(1, 40), BIG] } }),
    );
    const few = await ended((await evaluate(agent, 2)).id);
    expect(few).toMatchObject({ status: 'inconclusive', pass_rate: 1, gate: { result: 'inconclusive' } });
    const refused = await promote(agent, 2);
    expect([refused.status, refused.body]).toMatchObject([409, { code: 'gate_inconclusive', gate: few.gate }]);
    expect(few.gate.reasons).not.toEqual([]);
    expect(await productionOf(agent)).toBe(1);
  });

  it('answers the evaluation that is under way, ends it when asked to, and has contract codes for bad input', async () => {
    const { url } = scene.ledger;
    const agent = await scene.stack.client.createAgent(aDesk(url, 'codes', { refunds: '1.0' }));
    const without = await call('POST', `/agents/${agent}/versions/1/evaluate`);
    expect([without.status, without.body.code]).toEqual([422, 'definition_invalid']);
    expect((await call('POST', `/agents/${agent}/versions/9/evaluate`)).status).toBe(404);
    await addVersion(agent, aDesk(url, 'codes', { refunds: '1.0', evaluation: gated }));
    // No worker runs, so the evaluation does not end.
    await scene.stack.endWorkers();
    const first = await evaluate(agent, 2);
    expect(first).toMatchObject({
      status: 'running',
      cases: { total: 26, passed: 0 },
      gate: { result: null, reasons: [] },
    });
    const again = await call('POST', `/agents/${agent}/versions/2/evaluate`);
    expect([again.status, again.body.id]).toEqual([200, first.id]);
    expect((await promote(agent, 2)).body).toMatchObject({ code: 'evaluation_in_progress' });
    const open = await scene.stack.query(`select id from runs where trigger ->> 'evaluation' = $1`, [first.id]);
    expect(open.length).toBeLessThanOrEqual(SIDE_BY_SIDE);

    for (let twice = 0; twice < 2; twice++) {
      const cancelled = await call('POST', `/evaluations/${first.id}/cancel`);
      expect([cancelled.status, cancelled.body.status]).toEqual([200, 'cancelled']);
    }
    const statuses = await scene.stack.query(`select distinct status from runs where trigger ->> 'evaluation' = $1`, [
      first.id,
    ]);
    expect(statuses).toEqual([{ status: 'cancelled' }]);
    expect((await promote(agent, 2)).body).toMatchObject({ code: 'evaluation_required' });

    const next = await evaluate(agent, 2);
    await call('DELETE', `/agents/${agent}`);
    expect((await call('GET', `/evaluations/${next.id}`)).body.status).toBe('cancelled');
    const archived = await call('POST', `/agents/${agent}/versions/2/evaluate`);
    expect([archived.status, archived.body.code]).toEqual([409, 'agent_archived']);
  });

  it('waits out an emergency stop', async () => {
    const { url } = scene.ledger;
    const definition = aDesk(url, 'stopped', { refunds: '${{ steps.order.output.total }}', evaluation: { cases } });
    const agent = await scene.stack.client.createAgent(definition);
    await scene.stack.endWorkers();
    const { id } = await evaluate(agent, 1);
    await call('POST', '/workspace/emergency-stop');
    const refused = await call('POST', `/agents/${agent}/versions/1/evaluate`);
    expect([refused.status, refused.body.code]).toEqual([409, 'workspace_stopped']);
    await scene.haveWorkers();
    await call('POST', '/workspace/resume');
    expect(await ended(id)).toMatchObject({ status: 'passed', cases: { total: 25, passed: 25 } });
  });
});
