import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { aModelAgent } from '../support/model-agents.js';
import { MODEL_API_KEY } from '../support/model-profiles.js';
import { ModelScene } from '../support/model-scene.js';
import { OtlpReceiver, type SeenSpan } from '../support/otlp-receiver.js';
import { type LoneScene, Scene } from '../support/scene.js';

const SPANS_OF_A_RUN = [
  'POST /v1/agents/:id/runs',
  'send runs',
  'invoke_agent',
  'chat priced',
  'execute_tool shop.look',
];
const QUICKLY = { OTEL_BSP_SCHEDULE_DELAY: '100', OTEL_METRIC_EXPORT_INTERVAL: '500' };

const newTrace = () => ({ id: randomBytes(16).toString('hex'), caller: randomBytes(8).toString('hex') });

const oneStep = (url: string): JsonObject => ({
  name: `plain-${randomBytes(3).toString('hex')}`,
  tools: [{ name: 'erp', type: 'http', base_url: url, operations: [{ name: 'get', method: 'GET', path: '/order' }] }],
  steps: [{ id: 'order', tool: 'erp.get' }],
});

/** The last test ends the processes of the tests before. */
describe('a service with a collector', () => {
  let receiver: OtlpReceiver;
  let stage: ModelScene<LoneScene>;

  beforeAll(async () => {
    receiver = await OtlpReceiver.start();
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=canary-header',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=spec',
      ...QUICKLY,
    };
    stage = await ModelScene.alone({ why: 'needs settings of telemetry', env });
  });
  afterEach(() => stage.reset());
  afterAll(async () => {
    await stage.stop();
    await receiver.close();
  });

  const named = (spans: SeenSpan[], name: string): SeenSpan => spans.find((span) => span.name === name)!;

  async function startTraced(agent: string, input: JsonObject, trace: { id: string; caller: string }): Promise<string> {
    const headers = { traceparent: `00-${trace.id}-${trace.caller}-01` };
    const path = `/v1/agents/${agent}/runs`;
    return (await stage.client.call<{ id: string }>('POST', path, { input }, headers)).body.id;
  }

  it('tells it one trace from the request over the queue and the worker to the tool', async () => {
    stage.models.respondWith({ calls: [{ name: 'shop_look', input: { place: 'a' } }] }, { text: 'done' });
    const agent = await stage.client.createAgent(aModelAgent(stage.scene.ledger.url));
    const trace = newTrace();
    const id = await startTraced(agent, {}, trace);
    expect(await stage.ended(id)).toMatchObject({ status: 'succeeded' });

    const spans = await receiver.trace(trace.id, SPANS_OF_A_RUN);
    const [request, sent, invoked, asked, called] = SPANS_OF_A_RUN.map((name) => named(spans, name));
    expect(request).toMatchObject({ parentSpanId: trace.caller, kind: 2, service: 'aas-api' });
    expect(request!.attributes).toMatchObject({
      'http.route': '/v1/agents/:id/runs',
      'http.response.status_code': 202,
    });
    expect(sent).toMatchObject({ parentSpanId: request!.spanId, kind: 4, service: 'aas-api' });
    expect(invoked).toMatchObject({ parentSpanId: sent!.spanId, kind: 5, service: 'aas-worker' });
    expect(invoked!.attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': agent,
      'messaging.message.id': id,
    });
    expect(asked).toMatchObject({ parentSpanId: invoked!.spanId, kind: 3, service: 'aas-worker', failed: false });
    expect(asked!.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'fake',
      'gen_ai.request.model': 'priced',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 10,
      'gen_ai.response.finish_reasons': [expect.any(String)],
    });
    expect(called).toMatchObject({ parentSpanId: invoked!.spanId, service: 'aas-worker', failed: false });
    expect(called!.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'shop.look',
      'http.response.status_code': 200,
      'aas.run.id': id,
    });
    const [call] = stage.scene.ledger.callsOf('/look/a');
    expect(call!.headers.traceparent).toBe(`00-${trace.id}-${called!.spanId}-01`);
    // The collector receives the headers that the operator has configured for it.
    expect(receiver.headers[0]).toMatchObject({ 'x-collector-key': 'canary-header' });
  });

  it('continues the trace after a decision, in any worker', async () => {
    await stage.client.expect('POST', '/v1/groups', { name: 'desk', members: ['admin@example.com'] });
    const definition: JsonObject = {
      ...oneStep(stage.scene.ledger.url),
      approvals: { desk: { approvers: ['desk'], timeout: '1h', on_timeout: 'fail', self_approval: true } },
      steps: [
        { id: 'ask', approval: 'desk' },
        { id: 'order', tool: 'erp.get' },
      ],
    };
    const trace = newTrace();
    const id = await startTraced(await stage.client.createAgent(definition), {}, trace);
    const approval = await eventually(async () => {
      const open = await stage.client.expect<{ data: { id: string; run: string }[] }>(
        'GET',
        '/v1/approvals?status=open',
      );
      const found = open.data.find(({ run }) => run === id);
      expect(found).toBeDefined();
      return found!.id;
    });
    await stage.client.expect('POST', `/v1/runs/${id}/approvals/${approval}`, { decision: 'approve' });
    await stage.ended(id);
    const spans = await receiver.trace(trace.id, ['invoke_agent', 'invoke_agent', 'execute_tool erp.get']);
    const attempts = spans
      .filter(({ name }) => name === 'invoke_agent')
      .map((span) => span.attributes['aas.run.attempt']);
    expect(attempts.sort()).toEqual([1, 2]);
    expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([trace.id]));
  });

  it('tells a failed call by its code, and nothing of what was asked, said, answered, sealed or secret', async () => {
    stage.models.respondWith(
      { calls: [{ name: 'shop_look', input: { place: 'canary-place' } }] },
      { text: 'canary-answer' },
    );
    stage.scene.ledger.always('/look/canary-place', { status: 500, body: { why: 'canary-response' } });
    await stage.client.expect('PUT', '/v1/secrets/SHOP_TOKEN', { value: 'canary-secret' });
    const { url } = stage.scene.ledger;
    const { tools } = aModelAgent(url) as { tools: JsonObject[] };
    const definition = aModelAgent(url, {
      instructions: 'canary-instructions',
      tools: [{ ...tools[0]!, auth: { type: 'bearer', token: '${{ secrets.SHOP_TOKEN }}' } }],
      redact: { paths: ['input.person'] },
    });
    const trace = newTrace();
    const id = await startTraced(await stage.client.createAgent(definition), { person: 'canary-person' }, trace);
    await stage.ended(id);
    const spans = await receiver.trace(trace.id, SPANS_OF_A_RUN);
    expect(named(spans, 'execute_tool shop.look')).toMatchObject({
      failed: true,
      attributes: { 'error.type': 'tool_error' },
    });
    expect(receiver.received).not.toMatch(/canary-/);
    expect(receiver.received).not.toContain(MODEL_API_KEY);
    expect(receiver.received).not.toContain(stage.scene.stack.adminKey);
  });

  it('begins a trace of its own where the caller names none, or one that is none', async () => {
    const agent = await stage.client.createAgent(oneStep(stage.scene.ledger.url));
    const { body } = await stage.client.call<{ id: string }>(
      'POST',
      `/v1/agents/${agent}/runs`,
      { input: {} },
      {
        traceparent: '00-00000000000000000000000000000000-zz-01',
      },
    );
    await stage.ended(body.id);
    const call = await eventually(() => {
      const found = receiver.spans.find((span) => span.attributes['aas.run.id'] === body.id);
      expect(found).toBeDefined();
      return found!;
    });
    const spans = await receiver.trace(call.traceId, [
      'POST /v1/agents/:id/runs',
      'invoke_agent',
      'execute_tool erp.get',
    ]);
    expect(named(spans, 'POST /v1/agents/:id/runs').parentSpanId).toBe('');
  });

  it('sends the metrics of every process, the workers included', async () => {
    await eventually(() => {
      expect([...(receiver.metrics.get('aas-api') ?? [])]).toContain('aas_http_request_seconds');
      expect([...(receiver.metrics.get('aas-worker') ?? [])]).toContain('aas_queue_jobs_total');
    });
  });

  it('carries out its runs as ever when the collector has gone away, and ends in order', async () => {
    await receiver.close();
    const { stack, ledger } = stage.scene;
    const agent = await stack.client.createAgent(oneStep(ledger.url));
    const runs = await Promise.all(Array.from({ length: 20 }, () => stack.client.startRun(agent)));
    for (const { id } of runs) expect(await stage.ended(id)).toMatchObject({ status: 'succeeded' });
    await Promise.all([stack.api.stop(), stack.endWorkers()]);
    for (const program of stack.programs) expect(program.problem()).toBeUndefined();
  });
});

describe('a service without a collector', () => {
  it('sends tools no trace', async () => {
    const scene = await Scene.start();
    const { stack, ledger } = scene;
    const agent = await stack.client.createAgent(oneStep(ledger.url));
    const { id } = await stack.client.startRun(agent);
    const [call] = await ledger.called('/order');
    expect(call!.headers).not.toHaveProperty('traceparent');
    expect(await stack.query('select traceparent from runs where id = $1', [id])).toEqual([{ traceparent: null }]);
    await scene.stop();
  });
});
