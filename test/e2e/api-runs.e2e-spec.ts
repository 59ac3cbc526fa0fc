import { GREETER, greeterNamed } from '../fixtures/definitions.js';
import type { CallOptions, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

const YAML = { 'Content-Type': 'application/yaml' };

// No worker runs in this test, so started runs stay queued.
describe('runs', () => {
  let api: HttpApi;
  let tenant: TestTenant;
  let key: string;
  let agent: string;

  beforeAll(async () => {
    api = await sharedApi();
  });

  beforeEach(async () => {
    tenant = await api.newTenant();
    key = tenant.adminKey;
    agent = (await call('POST', '/v1/agents', { body: GREETER, headers: YAML })).body.id;
  });

  afterAll(() => api.close());

  const call = (method: string, path: string, options: CallOptions = {}) => api.call(method, path, { key, ...options });
  const start = (body: object = { input: { name: 'Ada' } }, options: CallOptions = {}) =>
    call('POST', `/v1/agents/${agent}/runs`, { body, ...options });
  const list = async (query: string): Promise<string[]> => {
    const { status, body } = await call('GET', `/v1/runs?${query}`);
    expect(status).toBe(200);
    return body.data.map((run: { id: string }) => run.id);
  };

  it('are accepted and can be followed', async () => {
    const started = await start();
    expect(started.status).toBe(202);
    expect(started.headers.get('location')).toBe(`/v1/runs/${started.body.id}`);
    expect(started.headers.get('idempotent-replayed')).toBeNull();
    expect(started.body).toEqual({
      id: expect.stringMatching(/^run_[0-9a-z]{26}$/),
      agent,
      agent_name: 'greeter',
      version: 1,
      mode: 'production',
      status: 'queued',
      waiting: { for: 'worker' },
      trigger: { type: 'api' },
      input: { name: 'Ada' },
      output: null,
      approvals: [],
      started_at: expect.any(String),
      ended_at: null,
      duration_ms: null,
      cost: { amount: '0.00', currency: 'EUR' },
      usage: { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
      created_at: started.body.started_at,
      error: null,
      labels: { team: 'support' },
      initiator: 'admin@example.com',
      replay_of: null,
      cancel_reason: null,
      warnings: [],
    });
    expect((await call('GET', `/v1/runs/${started.body.id}`)).body).toEqual(started.body);
    expect((await call('GET', '/v1/runs')).body).toEqual({ data: [started.body] });
  });

  it('have a trace from the first moment', async () => {
    const { id, created_at } = (await start()).body;
    const trace = await call('GET', `/v1/runs/${id}/trace`);
    expect(trace.body).toMatchObject({
      run: id,
      steps: [{ n: 1, type: 'trigger', at: created_at, data: { type: 'api' } }],
    });
    expect((await call('GET', `/v1/runs/${id}/trace?after_n=1`)).body).toEqual({ run: id, steps: [] });
    for (const query of ['after_n=-1', 'after_n=x', 'after=1']) {
      expect((await call('GET', `/v1/runs/${id}/trace?${query}`)).body).toMatchObject({ code: 'invalid_request' });
    }
  });

  it('have a trace that is read in pages, as a summary or step by step', async () => {
    const { id } = (await start()).body;
    const step = (n: number) => `('${id}', ${n}, '${tenant.workspaceId}', 'call${n}', 'tool_call', 'shop.get', 'read',
      'succeeded', 1, gen_random_uuid(), 1, '{"order": ${n}}', '{"total": 40}', '{"response_summary": "200"}', now())`;
    await api.execute(`insert into run_steps (run_id, n, workspace_id, path, type, tool, scope, state, attempt, op, epoch,
      request, output, detail, ended_at) values ${[2, 3, 4].map(step).join(', ')}`);
    const trace = async (query: string) => (await call('GET', `/v1/runs/${id}/trace?${query}`)).body;
    const positions = ({ steps }: { steps: { n: number }[] }) => steps.map(({ n }) => n);

    const first = await trace('limit=2');
    expect([positions(first), first.next_after_n]).toEqual([[1, 2], 2]);
    const second = await trace(`limit=2&after_n=${first.next_after_n}`);
    expect([positions(second), Object.keys(second)]).toEqual([
      [3, 4],
      ['run', 'steps'],
    ]);
    const whole = await trace('');
    expect([positions(whole), Object.keys(whole)]).toEqual([
      [1, 2, 3, 4],
      ['run', 'steps'],
    ]);

    const { steps } = await trace('fields=summary&after_n=1&limit=1');
    const { request, response_summary, effect, try: attempt, ...summary } = whole.steps[1];
    expect([request, response_summary, effect, attempt]).toEqual([{ order: 2 }, '200', null, 1]);
    expect(steps).toEqual([summary]);
    expect(Object.keys(summary).sort()).toEqual('at duration_ms id n path scope status tool type'.split(' '));
    for (const [at, shown] of whole.steps.entries()) {
      // A single step also has the response of its call.
      expect((await call('GET', `/v1/runs/${id}/trace/${Number(at) + 1}`)).body).toMatchObject(shown);
    }
    for (const n of ['0', '5', 'x', '99999999999']) {
      expect(await call('GET', `/v1/runs/${id}/trace/${n}`)).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      });
    }
    for (const query of ['limit=0', 'limit=1001', 'fields=all']) {
      expect(await trace(query)).toMatchObject({ code: 'invalid_request' });
    }
  });

  it('are found by a text of their error, input or output, regardless of case, and not by what is redacted', async () => {
    const startWith = async (name: string) => (await start({ input: { name } })).body.id as string;
    const [failed, ended, plain] = [await startWith('Ada 100%'), await startWith('Bob_"1"'), await startWith('Eve')];
    await api.execute(`update runs set status = 'failed', wake_at = null, ended_at = now(),
      error = '{"code": "tool_error", "message": "Card Declined", "step": null}' where id = '${failed}'`);
    await api.execute(`update runs set status = 'succeeded', wake_at = null, ended_at = now(),
      output = '{"note": {"$sealed": "c2VhbGVk", "shown": "[redacted] of order 1002"}}' where id = '${ended}'`);
    const search = (text: string, more = '') => list(`q=${encodeURIComponent(text)}${more}`);

    expect(await search('card DECLINED')).toEqual([failed]);
    expect(await search('card declined', '&status=queued,succeeded')).toEqual([]);
    expect(await search('order 1002')).toEqual([ended]);
    expect(await search('c2VhbGVk')).toEqual([]);
    expect(await search('100%')).toEqual([failed]);
    expect(await search('b_"1"')).toEqual([ended]);
    expect(await search('b?"1"')).toEqual([]);
    expect(await search('e', `&agent=${agent}&status=queued,failed&order=asc`)).toEqual([failed, plain]);
    const first = (await call('GET', '/v1/runs?q=name&limit=2')).body;
    expect(await list(`q=name&limit=2&cursor=${first.next_cursor}`)).toEqual([failed]);
    for (const query of ['q=', `q=${'x'.repeat(201)}`])
      expect(await call('GET', `/v1/runs?${query}`)).toMatchObject({ body: { errors: [{ parameter: 'q' }] } });
    const other = await api.newTenant();
    expect((await api.call('GET', '/v1/runs?q=card', { key: other.adminKey })).body.data).toEqual([]);
  });

  it('are found by their active time and their cost, each with limits that are included', async () => {
    const startWith = async (name: string) => (await start({ input: { name } })).body.id as string;
    const [quick, slow, running] = [await startWith('quick'), await startWith('slow'), await startWith('running')];
    const become = (id: string, micros: number, more: string) =>
      api.execute(`update runs set cost_micros = ${micros}, ${more} where id = '${id}'`);
    const ended = `status = 'succeeded', wake_at = null, ended_at = now()`;
    await become(quick, 250_000, `active_ms = 1000, ${ended}`);
    await become(slow, 2_000_000, `active_ms = 90000, ${ended}`);
    await become(running, 1_000_000, `active_ms = 90000`);
    const all = [`agent=${agent}`, ...[quick, slow, running].map((id) => `id=${id}`)].join('&');

    expect(await list(`${all}&min_duration_ms=1000`)).toEqual([slow, quick]);
    expect(await list(`${all}&min_duration_ms=1001`)).toEqual([slow]);
    expect(await list(`${all}&max_duration_ms=1000`)).toEqual([quick]);
    expect(await list(`${all}&min_cost=1`)).toEqual([running, slow]);
    expect(await list(`${all}&min_cost=0.25&max_cost=1.000000`)).toEqual([running, quick]);
    expect(await list(`${all}&max_cost=1&q=quick`)).toEqual([quick]);
    for (const query of ['min_cost=1,5', 'max_cost=-1', 'min_duration_ms=1.5', 'max_duration_ms=-1'])
      expect(await call('GET', `/v1/runs?${query}`)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('are grouped by their errors, whatever ids and numbers the messages contain, and listed by group', async () => {
    const failing = async (message: string, step: string, options: object = {}) => {
      const { id } = (await start({ input: { name: 'Ada' }, ...options })).body;
      const error = JSON.stringify({ code: 'tool_error', message, step });
      await api.execute(
        `update runs set status = 'failed', wake_at = null, ended_at = now(), error = '${error}' where id = '${id}'`,
      );
      return id as string;
    };
    const one = await failing('Order 17 of run_01kahzvk3te9d8q6f0f1v3m2sx returned 503.', 'refund');
    await call('POST', `/v1/agents/${agent}/versions`, { body: GREETER.replace('Hello', 'Hi'), headers: YAML });
    const two = await failing('Order 2,004 of run_01kahzvk3te9d8q6f0f1v3m2sy returned 503.', 'refund', {
      version: 2,
      mode: 'test',
    });
    const three = await failing('Order 17 was refused.', 'refund');
    const groups = async (query = '') => (await call('GET', `/v1/statistics/errors${query}`)).body.data;

    const [largest, other] = await groups();
    expect(largest).toMatchObject({
      agent,
      code: 'tool_error',
      step: 'refund',
      message: 'Order 2,004 of run_01kahzvk3te9d8q6f0f1v3m2sy returned 503.',
      runs: 2,
      first_version: 1,
      last_version: 2,
      last_run: two,
    });
    expect(other).toMatchObject({ runs: 1, last_run: three });
    expect(await list(`agent=${agent}&error_group=${largest.error_group}`)).toEqual([two, one]);
    expect((await groups('?mode=production')).map(({ runs }: { runs: number }) => runs)).toEqual([1, 1]);
    expect(await groups('?until=2026-01-01T00:00:00Z')).toEqual([]);
    expect(await call('GET', '/v1/statistics/errors?since=2020-01-01T00:00:00Z')).toMatchObject({ status: 400 });
    const tenantOfOthers = await api.newTenant();
    expect((await api.call('GET', '/v1/statistics/errors', { key: tenantOfOthers.adminKey })).body.data).toEqual([]);
  });

  it('are listed by version, initiator, error, labels, replayed run and id', async () => {
    const labelled = greeterNamed('other').replace('{ team: support }', '{ team: "a,b=c", region: eu }');
    const { body: other } = await call('POST', '/v1/agents', { body: labelled, headers: YAML });
    await call('POST', `/v1/agents/${agent}/versions`, { body: GREETER.replace('Hello', 'Hi'), headers: YAML });
    const input = { name: 'Ada' };
    const one = (await start()).body.id;
    const two = (await start({ input, version: 2, mode: 'test' }, { key: await tenant.key('operator') })).body.id;
    const three = (await call('POST', `/v1/agents/${other.id}/runs`, { body: { input } })).body.id;
    await api.execute(`update runs set status = 'failed', wake_at = null, ended_at = now(), replay_of = '${one}',
      error = '{"code": "tool_error", "message": "x", "step": null}' where id = '${three}'`);

    expect(await list(`agent=${agent}&version=2`)).toEqual([two]);
    expect(await list('version=1')).toEqual([three, one]);
    expect(await list('version=1&status=failed,queued&order=asc')).toEqual([one, three]);
    expect(await list('initiator=operator@example.com')).toEqual([two]);
    expect(await list('initiator=Operator@Example.com')).toEqual([two]);
    expect(await list('error_code=tool_error')).toEqual([three]);
    expect(await list('error_code=timeout')).toEqual([]);
    expect(await list('label=team%3Dsupport')).toEqual([two, one]);
    for (const query of ['label=team', 'label=team%3Dsupport&label=region'])
      expect(await call('GET', `/v1/runs?${query}`)).toMatchObject({
        status: 400,
        body: { errors: [{ parameter: 'label', detail: expect.stringContaining('label must be `key=value`') }] },
      });
    expect(await list('label=team%3Dsupport&version=2')).toEqual([two]);
    expect(await list(`label=team%3Da,b%3Dc&label=region%3Deu&agent=${other.id}`)).toEqual([three]);
    expect(await list('label=team%3Dsupport&label=region%3Deu')).toEqual([]);
    expect(await list('label=team%3Dsupport&label=team%3Dother')).toEqual([]);
    expect(await list(`replay_of=${one}`)).toEqual([three]);
    expect(await list(`id=${one}&id=${three}&id=run_1`)).toEqual([three, one]);
    expect(await list('id=run_1')).toEqual([]);

    const first = (await call('GET', '/v1/runs?label=team%3Dsupport&limit=1')).body;
    expect(await list(`label=team%3Dsupport&limit=1&cursor=${first.next_cursor}`)).toEqual([one]);
    const ids = Array.from({ length: 101 }, (_, n) => `id=run_${n}`).join('&');
    for (const query of ['version=0', 'error_code=nope', 'label=team', 'label=%3Dx', ids]) {
      expect((await call('GET', `/v1/runs?${query}`)).body.code).toBe('invalid_request');
    }
  });

  it('take input that fits the agent', async () => {
    const { status, body } = await start({ input: { name: 7 } });
    expect([status, body.code]).toEqual([422, 'input_invalid']);
    expect(body.errors).toMatchObject([{ pointer: '/input/name' }]);
    expect((await start({})).body).toMatchObject({ code: 'input_invalid' });
  });

  it('run the version that is asked for', async () => {
    await call('POST', `/v1/agents/${agent}/versions`, { body: GREETER.replace('Hello', 'Hi'), headers: YAML });
    expect((await start({ input: { name: 'Ada' } })).body).toMatchObject({ version: 1 });
    expect((await start({ input: { name: 'Ada' }, version: 2 })).body).toMatchObject({ version: 2 });
    const unknown = await start({ input: { name: 'Ada' }, version: 3 });
    expect([unknown.status, unknown.body.code]).toEqual([422, 'unknown_reference']);
  });

  it('are in production for a live key and a test for a test key, which cannot ask for more', async () => {
    const testKey = await tenant.key('operator', 'test');
    const modeOf = async (body: object, options?: CallOptions) =>
      (await start({ input: { name: 'Ada' }, ...body }, options)).body.mode;
    expect(await modeOf({})).toBe('production');
    expect(await modeOf({ mode: 'test' })).toBe('test');
    expect(await modeOf({}, { key: testKey })).toBe('test');
    const refused = await start({ input: { name: 'Ada' }, mode: 'production' }, { key: testKey });
    expect([refused.status, refused.body.code]).toEqual([403, 'test_key_production_mode']);
  });

  it('of a test key are tests whatever they are started from: a run that is replayed, a schedule', async () => {
    const testKey = await tenant.key('operator', 'test');
    const schedule = 'triggers: [{ id: daily, type: schedule, cron: "0 7 * * *", input: { name: Ada } }]\n';
    const body = `${greeterNamed('scheduled')}${schedule}`;
    const { body: scheduled } = await call('POST', '/v1/agents', { body, headers: YAML });
    const { id } = (await start()).body;
    await call('POST', `/v1/runs/${id}/cancel`);
    const replay = (more: object) => call('POST', `/v1/runs/${id}/replay`, { key: testKey, body: more });
    const now = (options: CallOptions = {}) => call('POST', `/v1/agents/${scheduled.id}/triggers/daily/run`, options);
    expect(await replay({ tool_results: 'live', mode: 'production' })).toMatchObject({
      status: 403,
      body: { code: 'test_key_production_mode' },
    });
    expect(await replay({ tool_results: 'live', mode: 'test' })).toMatchObject({
      status: 202,
      body: { mode: 'test', replay_of: id },
    });
    expect(await replay({ tool_results: 'live' })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ pointer: '/mode' }] },
    });
    expect(await now({ key: testKey })).toMatchObject({ status: 202, body: { mode: 'test' } });
    expect(await now()).toMatchObject({ status: 202, body: { mode: 'production' } });
    expect(await list('mode=production')).toHaveLength(2);
  });

  it('of a paused agent start by API', async () => {
    await call('POST', `/v1/agents/${agent}/pause`);
    expect((await start()).status).toBe(202);
  });

  describe('with an Idempotency-Key', () => {
    const keyed = (idempotencyKey: string, body: object = { input: { name: 'Ada' } }) =>
      start(body, { headers: { 'Idempotency-Key': idempotencyKey } });

    it('start once, however often the request is repeated', async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => keyed('order-17')));
      const [first] = answers;
      expect(answers.map(({ status, body }) => [status, body])).toEqual(answers.map(() => [202, first?.body]));
      expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') !== 'true')).toHaveLength(1);
      expect(await list('')).toHaveLength(1);
    });

    it('are the same request whatever the order of the members and the defaults left out', async () => {
      const first = await keyed('k', { input: { name: 'Ada', x: 1 } });
      const second = await keyed('k', { input: { x: 1, name: 'Ada' } });
      expect(second.body).toEqual(first.body);
    });

    it('refuse another body, and keep keys of agents and workspaces apart', async () => {
      const first = await keyed('k');
      const reused = await keyed('k', { input: { name: 'Eve' } });
      expect([reused.status, reused.body.code]).toEqual([422, 'idempotency_key_reused']);
      const other = (await call('POST', '/v1/agents', { body: greeterNamed('other'), headers: YAML })).body.id;
      const options = { body: { input: { name: 'Ada' } }, headers: { 'Idempotency-Key': 'k' } };
      const elsewhere = await call('POST', `/v1/agents/${other}/runs`, options);
      expect(elsewhere.status).toBe(202);
      expect(elsewhere.body.id).not.toBe(first.body.id);
    });

    it('are answered as before although they would be refused by now', async () => {
      const first = await keyed('k');
      const changed = GREETER.replace('required: [name]', 'required: [name, title]');
      const version = await call('POST', `/v1/agents/${agent}/versions`, { body: changed, headers: YAML });
      await call('POST', `/v1/agents/${agent}/versions/${version.body.version}/promote`);
      expect((await keyed('unused')).body.code).toBe('input_invalid');
      expect(await keyed('k')).toMatchObject({ status: 202, body: first.body });
      expect((await keyed('k', { input: {} })).body.code).toBe('idempotency_key_reused');
      await call('DELETE', `/v1/agents/${agent}`);
      expect((await keyed('unused', { input: { name: 'Ada', title: 'Dr' } })).body.code).toBe('agent_archived');
      const again = await keyed('k');
      expect(again).toMatchObject({ status: 202, body: first.body });
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    });

    it.each(['', 'x'.repeat(256), 'a\tb'])('refuse the key %j', async (bad) => {
      const { status, body } = await keyed(bad);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
    });

    it('that was refused does not use the key up', async () => {
      expect((await keyed('k', { input: {} })).status).toBe(422);
      expect((await keyed('k')).status).toBe(202);
    });
  });

  describe('are listed', () => {
    it('by agent, status, mode, trigger and time', async () => {
      const { id: first, created_at: since } = (await start()).body;
      const other = (await call('POST', '/v1/agents', { body: greeterNamed('other'), headers: YAML })).body.id;
      const options = { body: { input: { name: 'Ada' }, mode: 'test' } };
      const second = (await call('POST', `/v1/agents/${other}/runs`, options)).body.id;
      await call('POST', `/v1/runs/${second}/cancel`);
      expect(await list('')).toEqual([second, first]);
      expect(await list('order=asc')).toEqual([first, second]);
      expect(await list(`agent=${agent}`)).toEqual([first]);
      expect(await list('status=cancelled')).toEqual([second]);
      expect(await list('status=cancelled,queued')).toEqual([second, first]);
      expect(await list('status=cancelled&status=queued&status=queued')).toEqual([second, first]);
      expect(await list('status=queued,cancelled&order=asc')).toEqual([first, second]);
      expect(await list('mode=test')).toEqual([second]);
      expect(await list('trigger_type=api')).toEqual([second, first]);
      expect(await list('trigger_type=schedule')).toEqual([]);
      expect(await list(`since=${since}&agent=${agent}`)).toEqual([first]);
      expect(await list(`until=${since}&agent=${agent}`)).toEqual([]);
      expect(await list('since=2100-01-01T00:00:00Z')).toEqual([]);
    });

    it.each([
      'status=done',
      'status=queued,',
      'mode=live',
      'trigger_type=mail',
      'agent=greeter',
      'since=today',
      'until=2026-02-30T00:00:00Z',
    ])('not by %s', async (query) => {
      const { status, body } = await call('GET', `/v1/runs?${query}`);
      expect([status, body.code, body.errors[0].parameter]).toEqual([400, 'invalid_request', query.split('=')[0]]);
    });
  });

  describe('are cancelled', () => {
    it('with a reason, and again without a change', async () => {
      const { id } = (await start()).body;
      const cancelled = await call('POST', `/v1/runs/${id}/cancel`, { body: { reason: 'typo' } });
      expect(cancelled).toMatchObject({
        status: 200,
        body: { status: 'cancelled', cancel_reason: 'typo', ended_at: expect.any(String) },
      });
      expect((await call('POST', `/v1/runs/${id}/cancel`, { body: { reason: 'other' } })).body).toEqual(cancelled.body);
      const { body } = await call('GET', `/v1/runs/${id}/trace`);
      expect(body.steps).toMatchObject([
        { type: 'trigger' },
        { n: 2, type: 'cancelled', by: 'admin@example.com', reason: 'typo' },
      ]);
    });

    it('without a body', async () => {
      const { id } = (await start()).body;
      expect((await call('POST', `/v1/runs/${id}/cancel`)).body).toMatchObject({
        status: 'cancelled',
        cancel_reason: null,
      });
    });

    it('not once they have ended in another way', async () => {
      const { id } = (await start()).body;
      await api.execute(`update runs set status = 'succeeded', wake_at = null, ended_at = now() where id = '${id}'`);
      const { status, body } = await call('POST', `/v1/runs/${id}/cancel`);
      expect([status, body.code, body.run_status]).toEqual([409, 'run_not_cancellable', 'succeeded']);
    });
  });
});
