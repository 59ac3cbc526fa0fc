import { GREETER, greeterNamed } from '../fixtures/definitions.js';
import type { CallOptions, HttpApi, TestTenant } from '../support/http-api.js';
import { sharedApi } from '../support/shared-api.js';

const YAML = { 'Content-Type': 'application/yaml' };

describe('agents', () => {
  let api: HttpApi;
  let key: string;
  let tenant: TestTenant;

  beforeAll(async () => {
    api = await sharedApi();
  });

  beforeEach(async () => {
    tenant = await api.newTenant();
    key = tenant.adminKey;
  });

  afterAll(() => api.close());

  const call = (method: string, path: string, options: CallOptions = {}) => api.call(method, path, { key, ...options });
  const create = (body: string = GREETER, headers: Record<string, string> = YAML) =>
    call('POST', '/v1/agents', { body, headers });

  it('are created from YAML, with their secret shown once and version 1 in production', async () => {
    const created = await create();
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe(`/v1/agents/${created.body.id}`);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^agt_[0-9a-z]{26}$/),
      name: 'greeter',
      description: 'Greets by name.',
      production_version: 1,
      latest_version: 1,
      status: 'active',
      effective_status: 'active',
      triggers: [],
      project: null,
      mcp_tool: null,
      budget: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.any(String),
      webhook_secret: expect.stringMatching(/^whsec_/),
      warnings: [],
    });
    const { webhook_secret: _, warnings: __, ...agent } = created.body;
    expect((await call('GET', `/v1/agents/${created.body.id}`)).body).toEqual(agent);
    expect((await call('GET', '/v1/agents')).body).toEqual({ data: [agent] });
  });

  it.each(['text/yaml', 'application/x-yaml', 'application/yaml; charset=utf-8'])(
    'are created from %s',
    async (type) => {
      expect((await create(GREETER, { 'Content-Type': type })).status).toBe(201);
    },
  );

  describe('with an Idempotency-Key', () => {
    const keyed = (idempotencyKey: string, body: string = GREETER) =>
      create(body, { ...YAML, 'Idempotency-Key': idempotencyKey });

    it('are created once, and a repeated request gets the same answer with the secret', async () => {
      const answers = await Promise.all(Array.from({ length: 5 }, () => keyed('once')));
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
      for (const { body } of answers) expect(body).toEqual(answers[0]?.body);
      expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') !== 'true')).toHaveLength(1);
      expect((await call('GET', '/v1/agents')).body.data).toHaveLength(1);
    });

    it('refuse the key for another definition, and drop it when the creation failed', async () => {
      await keyed('twice');
      expect((await keyed('twice', greeterNamed('other'))).body.code).toBe('idempotency_key_reused');
      expect((await keyed('fresh')).body.code).toBe('name_taken');
      expect((await keyed('fresh', greeterNamed('other'))).status).toBe(201);
    });

    it('get each version once', async () => {
      const { id } = (await create()).body;
      const version = () =>
        call('POST', `/v1/agents/${id}/versions`, {
          body: GREETER.replace('Greets by name.', 'Greets.'),
          headers: { ...YAML, 'Idempotency-Key': 'v2' },
        });
      const [first, second] = [await version(), await version()];
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.body).toEqual(first.body);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
    });
  });

  it('leave a line in the audit log, and each new version another one', async () => {
    const { id } = (await create(GREETER, { ...YAML, 'Idempotency-Key': 'k' })).body;
    await create(GREETER, { ...YAML, 'Idempotency-Key': 'k' });
    const body = GREETER.replace('Hello', 'Hi');
    for (const again of [body, body]) await call('POST', `/v1/agents/${id}/versions`, { body: again, headers: YAML });
    const { data } = (await call('GET', '/v1/audit-events?order=asc')).body;
    const about = { actor: 'admin@example.com', target: id };
    expect(data).toEqual([
      expect.objectContaining({ ...about, action: 'agent.create', detail: { name: 'greeter' } }),
      expect.objectContaining({ ...about, action: 'agent_version.create', detail: { name: 'greeter', version: 2 } }),
    ]);
  });

  it('are created from JSON', async () => {
    const definition = { name: 'from-json', steps: [{ id: 'result', output: { ok: true } }] };
    expect((await call('POST', '/v1/agents', { body: definition })).body).toMatchObject({ name: 'from-json' });
  });

  it('have names of their own', async () => {
    await create();
    const second = await create();
    expect([second.status, second.body.code]).toEqual([409, 'name_taken']);
  });

  it.each([
    ['name: [', 400, 'invalid_yaml'],
    ['name: greeter\nstpes: []\n', 422, 'definition_invalid'],
    ['[]', 422, 'definition_invalid'],
  ])('are refused for %j with the places of the mistakes', async (text, status, code) => {
    const { body } = await create(text);
    expect(body).toMatchObject({ status, code });
    expect(body.errors[0]).toMatchObject({
      pointer: expect.any(String),
      line: expect.any(Number),
      column: expect.any(Number),
    });
  });

  it('are refused for malformed JSON', async () => {
    const { status, body } = await create('{"name": }', { 'Content-Type': 'application/json' });
    expect([status, body.code]).toEqual([400, 'invalid_json']);
  });

  it('are found by name and by status', async () => {
    await create();
    const other = (await create(greeterNamed('other'))).body.id;
    await call('POST', `/v1/agents/${other}/pause`);
    const names = async (query: string) =>
      (await call('GET', `/v1/agents?${query}`)).body.data.map((agent: { name: string }) => agent.name);
    expect(await names('name=other')).toEqual(['other']);
    expect(await names('status=active')).toEqual(['greeter']);
    expect(await names('status=paused')).toEqual(['other']);
    expect(await names('')).toEqual(['other', 'greeter']);
  });

  it('belong to the project that they were last applied from', async () => {
    const body = (change: string) => ({ body: GREETER.replace('Hello', change), headers: YAML });
    const made = await call('POST', '/v1/agents?project=support', body('Hello'));
    expect(made).toMatchObject({ status: 201, body: { project: 'support' } });
    const path = `/v1/agents/${made.body.id}`;
    const other = (await create(greeterNamed('other'))).body.id;
    const names = async (project: string) =>
      (await call('GET', `/v1/agents?project=${project}`)).body.data.map((agent: { id: string }) => agent.id);
    expect(await names('support')).toEqual([made.body.id]);

    expect((await call('POST', `${path}/versions`, body('Hi'))).body).toMatchObject({ version: 2, project: null });
    expect((await call('GET', path)).body).toMatchObject({ latest_version: 2, project: 'support' });
    expect((await call('POST', `${path}/versions?project=sales`, body('Hey'))).body).toMatchObject({
      project: 'sales',
    });
    expect((await call('GET', `${path}/versions/1`)).body.project).toBe('support');
    expect((await call('GET', path)).body.project).toBe('sales');
    expect([await names('support'), await names('sales')]).toEqual([[], [made.body.id]]);
    expect((await call('GET', `/v1/agents/${other}`)).body.project).toBeNull();

    const events = (await call('GET', '/v1/audit-events?action=agent_version.create')).body.data;
    expect(events[0].detail).toEqual({ name: 'greeter', version: 3, project: 'sales' });
    expect(await call('POST', '/v1/agents?project=', body('x'))).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ pointer: '/query/project' }] },
    });
    const keyed = { ...body('Hello'), headers: { ...YAML, 'Idempotency-Key': 'p' } };
    const third = { ...keyed, body: greeterNamed('third') };
    expect((await call('POST', '/v1/agents?project=a', third)).status).toBe(201);
    expect((await call('POST', '/v1/agents?project=b', third)).body.code).toBe('idempotency_key_reused');
  });

  it('are addressed by name as long as they are not archived', async () => {
    const { id } = (await create(greeterNamed('front-desk'))).body;
    const path = '/v1/agents/name:front-desk';
    expect((await call('GET', path)).body).toMatchObject({ id, name: 'front-desk' });
    expect((await call('POST', `${path}/pause`)).body).toMatchObject({ id, status: 'paused' });
    expect((await call('POST', `${path}/resume`)).body).toMatchObject({ id, status: 'active' });
    const run = await call('POST', `${path}/runs`, { body: { input: { name: 'Ada' } } });
    expect(run).toMatchObject({ status: 202, body: { agent: id } });
    expect((await call('GET', `${path}/versions/1`)).body).toMatchObject({ agent: id });
    for (const unknown of ['name:', 'name:front', 'name:%00', `name:${id}`, 'front-desk', `name:${'x'.repeat(300)}`]) {
      expect([unknown, (await call('GET', `/v1/agents/${unknown}`)).body.code]).toEqual([unknown, 'not_found']);
    }
    const stranger = await api.newTenant();
    expect((await api.call('GET', path, { key: stranger.adminKey })).body.code).toBe('not_found');
    expect((await call('POST', `${path}/trigger`, { body: {} })).body.code).toBe('invalid_webhook_secret');
    await call('DELETE', path);
    expect((await call('GET', path)).body.code).toBe('not_found');
    expect((await call('GET', `/v1/agents/${id}`)).body.status).toBe('archived');
  });

  it('are created paused on request, and act only after a person resumes them', async () => {
    const hooked = `${greeterNamed('asleep')}\ntriggers: [{ id: hook, type: webhook }]\n`;
    const options = { body: hooked, headers: YAML };
    const { status, body: agent } = await call('POST', '/v1/agents?paused=true', options);
    expect([status, agent.status, agent.production_version]).toEqual([201, 'paused', 1]);
    const headers = { 'X-Service-Webhook-Secret': agent.webhook_secret };
    const triggered = await api.call('POST', `/v1/agents/${agent.id}/trigger`, { body: {}, headers });
    expect(triggered).toMatchObject({ status: 409, body: { code: 'agent_paused' } });
    expect((await call('POST', `/v1/agents/${agent.id}/resume`)).body.status).toBe('active');
    expect((await call('POST', '/v1/agents?paused=maybe', options)).status).toBe(400);
    const awake = { body: greeterNamed('awake'), headers: YAML };
    expect((await call('POST', '/v1/agents?paused=false', awake)).body.status).toBe('active');
    const { data } = (await call('GET', '/v1/audit-events?action=agent.create')).body;
    expect(data.at(-1)).toMatchObject({ target: agent.id, detail: { name: 'asleep', paused: true } });
  });

  it('are paused and resumed, any number of times', async () => {
    const { id } = (await create()).body;
    for (const [verb, status] of [
      ['pause', 'paused'],
      ['pause', 'paused'],
      ['resume', 'active'],
      ['resume', 'active'],
    ] as const) {
      const { status: code, body } = await call('POST', `/v1/agents/${id}/${verb}`);
      expect([code, body.status, body.effective_status]).toEqual([200, status, status]);
    }
  });

  describe('versions', () => {
    it('are numbered, and production stays what it is', async () => {
      const { id } = (await create()).body;
      const second = await call('POST', `/v1/agents/${id}/versions`, {
        body: GREETER.replace('Hello', 'Good day'),
        headers: YAML,
      });
      expect(second.status).toBe(201);
      expect(second.headers.get('location')).toBe(`/v1/agents/${id}/versions/2`);
      expect(second.body).toMatchObject({
        agent: id,
        version: 2,
        created_by: 'admin@example.com',
        definition_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        is_production: false,
        evaluation: null,
        definition: { name: 'greeter' },
      });
      const agent = await call('GET', `/v1/agents/${id}`);
      expect(agent.body).toMatchObject({ production_version: 1, latest_version: 2 });
      const list = await call('GET', `/v1/agents/${id}/versions`);
      expect(list.body.data.map((each: { version: number }) => each.version)).toEqual([2, 1]);
    });

    it('are made only on top of the version that If-Match names', async () => {
      const { id } = (await create()).body;
      const add = (change: string, version: string, more = {}) =>
        call('POST', `/v1/agents/${id}/versions`, {
          body: GREETER.replace('Hello', change),
          headers: { ...YAML, 'If-Match': version, ...more },
        });
      const key = { 'Idempotency-Key': 'second' };
      expect(await add('Hi', '"1"', key)).toMatchObject({ status: 201, body: { version: 2 } });
      expect(await add('Hey', '"1"')).toMatchObject({
        status: 412,
        body: { code: 'precondition_failed', latest_version: 2 },
      });
      expect((await add('Hi', '"1"', key)).headers.get('idempotent-replayed')).toBe('true');
      expect((await add('Hey', '2')).body.code).toBe('invalid_request');
      expect(await add('Hey', '"1", "2"')).toMatchObject({ status: 201, body: { version: 3 } });
      expect((await add('Good day', '*')).body.version).toBe(4);
      expect((await call('GET', `/v1/agents/${id}`)).body.latest_version).toBe(4);
    });

    it('are compared with a definition that is not stored', async () => {
      const { id } = (await create()).body;
      const compare = (body: string, version = 1) =>
        call('POST', `/v1/agents/${id}/versions/${version}/diff`, { body, headers: YAML });
      expect(await compare(GREETER)).toEqual(
        expect.objectContaining({ status: 200, body: { agent: id, a: 1, patch: [], capability_changes: [] } }),
      );
      const { body } = await compare(GREETER.replace('Greets by name.', 'Greets.') + 'limits: { max_steps: 7 }\n');
      expect(body.patch).toContainEqual({ op: 'replace', path: '/description', value: 'Greets.' });
      expect(body.capability_changes.length).toBeGreaterThan(0);
      expect(await compare('name: greeter\nstpes: []\n')).toMatchObject({
        status: 422,
        body: { code: 'definition_invalid' },
      });
      expect((await compare(GREETER, 2)).body.code).toBe('not_found');
      expect((await call('GET', `/v1/agents/${id}`)).body.latest_version).toBe(1);
    });

    it('are not made for the very same definition', async () => {
      const { id } = (await create()).body;
      const same = await call('POST', `/v1/agents/${id}/versions`, {
        body: `# Other comment\n${GREETER}`,
        headers: YAML,
      });
      expect([same.status, same.body.version]).toEqual([200, 1]);
    });

    it('are answered as JSON, or as the text that was submitted', async () => {
      const { id } = (await create()).body;
      const path = `/v1/agents/${id}/versions/1`;
      const asked = async (Accept: string) => {
        const { status, headers, body } = await call('GET', path, { headers: { Accept } });
        return { status, type: headers.get('content-type'), vary: headers.get('vary'), body };
      };
      expect(await asked('application/yaml')).toMatchObject({
        type: 'application/yaml; charset=utf-8',
        vary: 'Accept',
        body: GREETER,
      });
      expect(await asked('text/yaml')).toMatchObject({ type: 'text/yaml; charset=utf-8', body: GREETER });
      expect(await asked('application/json;q=0.5, application/yaml')).toMatchObject({ body: GREETER });
      for (const accept of ['*/*', 'application/json', 'application/yaml;q=0.5, application/json']) {
        expect(await asked(accept)).toMatchObject({ status: 200, body: { version: 1, is_production: true } });
      }
      expect(await asked('image/png')).toMatchObject({ status: 406, body: { code: 'not_acceptable' } });
    });

    it.each(['0', '2', '-1', '1.0', '01', 'one', '99999999999'])('%s is unknown', async (n) => {
      const { id } = (await create()).body;
      const { status, body } = await call('GET', `/v1/agents/${id}/versions/${n}`);
      expect([status, body.code]).toEqual([404, 'not_found']);
    });
  });

  describe('definitions', () => {
    const validate = (body: string, headers = YAML) => call('POST', '/v1/definitions/validate', { body, headers });

    it('that are right are valid, and nothing is stored', async () => {
      expect(await validate(GREETER)).toMatchObject({ status: 200, body: { valid: true, errors: [] } });
      expect((await call('GET', '/v1/agents')).body).toEqual({ data: [] });
    });

    it('that are wrong are answered with every mistake and its place', async () => {
      const { status, body } = await validate('name: Not A Name\nstpes: []\n');
      expect([status, body.valid]).toEqual([200, false]);
      expect(body.errors).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ pointer: '/stpes', line: 2, suggestion: expect.stringContaining('steps') }),
        ]),
      );
    });

    it('are checked as at creation for callers that may create: secrets, agents, tool servers', async () => {
      const text = (agent: string) => `name: curious
tools:
  - { name: shop, type: http, base_url: https://a.example, auth: { type: bearer, token: "\${{ secrets.NOT_THERE }}" }, operations: [{ name: g, method: GET, path: / }] }
  - { name: helper, type: agent, agent: ${agent} }
steps: [{ id: a, tool: shop.g, with: {} }, { id: b, tool: helper.run, with: {} }]`;
      const pointersOf = (found: { pointer: string }[]) => found.map(({ pointer }) => pointer).sort();
      const unknown = text('agt_00000000000000000000000000');
      const { body: wrong } = await validate(unknown);
      expect(wrong).toMatchObject({ valid: false, unchecked: [] });
      expect(pointersOf(wrong.errors)).toEqual(['/tools/1/agent']);
      expect(await call('POST', '/v1/agents', { body: unknown, headers: YAML })).toMatchObject({ status: 422 });
      const { body: right } = await validate(text('nobody-yet'));
      expect(right).toMatchObject({ valid: true, unchecked: [] });
      expect(pointersOf(right.warnings)).toEqual(['/tools/0/auth/token', '/tools/1/agent']);
      const created = await call('POST', '/v1/agents', { body: text('nobody-yet'), headers: YAML });
      expect(pointersOf(created.body.warnings)).toEqual(pointersOf(right.warnings));
      const key = await tenant.key('viewer');
      const viewer = await api.call('POST', '/v1/definitions/validate', { key, headers: YAML, body: unknown });
      expect(viewer).toMatchObject({
        status: 200,
        body: { valid: true, errors: [], unchecked: ['tools', 'agents', 'secrets', 'knowledge', 'groups'] },
      });
    });

    it('that name a model provider that the installation lacks are taken with a warning at its place', async () => {
      const text =
        'name: thinker\nmodel: { provider: nope, name: m, fallback: [{ provider: nope-too, name: m }] }\ninstructions: Think.\n';
      const expected = [
        expect.objectContaining({ pointer: '/model', line: 2, detail: expect.stringContaining('`nope`') }),
        expect.objectContaining({ pointer: '/model/fallback/0', line: 2 }),
      ];
      expect(await validate(text)).toMatchObject({ body: { valid: true, warnings: expected } });
      expect(await create(text)).toMatchObject({ status: 201, body: { warnings: expected } });
    });

    it('that name a knowledge base that is not there are taken with a warning at its place', async () => {
      const { body: base } = await call('POST', '/v1/knowledge-bases', { body: { name: 'handbook' } });
      const other = await api.newTenant();
      const foreign = await api.call('POST', '/v1/knowledge-bases', { key: other.adminKey, body: { name: 'theirs' } });
      const text = `name: reader
model: anthropic/claude-sonnet-5-5
instructions: Look it up.
knowledge: [{ base: handbook }, { base: ${base.id} }, { base: ${foreign.body.id} }]
steps:
  - { id: a, agent: { instructions: Ask. } }
  - { id: b, retrieve: { base: theirs, query: x } }
`;
      const expected = [
        expect.objectContaining({ pointer: '/knowledge/2/base', line: 4 }),
        expect.objectContaining({ pointer: '/steps/1/retrieve/base', line: 7, column: 32 }),
        expect.objectContaining({ pointer: '/model', line: 2 }),
      ];
      expect(await validate(text)).toMatchObject({ body: { valid: true, warnings: expected } });
      expect(await create(text)).toMatchObject({ status: 201, body: { warnings: expected } });
    });

    it('that name groups that are not there are taken with a warning at each place', async () => {
      await call('POST', '/v1/groups', { body: { name: 'finance', members: [] } });
      const text = `name: asker
approvals:
  release: { approvers: [finance, no-such-group], timeout: 1h }
hand_off: { to: [no-such-team] }
steps:
  - { id: release, approval: release }
  - { id: size, ask: { to: [tailors, finance], form: { type: object } } }
  - { id: end, hand_off: { to: [finance, no-such-desk] } }
`;
      const missing = (group: string, task: string, pointer: string, line: number) =>
        expect.objectContaining({
          pointer,
          line,
          detail: `There is no group "${group}", so no person can ${task}.`,
          suggestion: `Create it in the console under Settings, Groups, with \`aas groups create ${group}\` or with POST /v1/groups.`,
        });
      const expected = [
        missing('no-such-group', 'decide approvals of this agent', '/approvals/release/approvers/1', 3),
        missing('tailors', 'answer questions of this agent', '/steps/1/ask/to/0', 7),
        missing('no-such-team', 'take over runs of this agent', '/hand_off/to/0', 4),
        missing('no-such-desk', 'take over runs of this agent', '/steps/2/hand_off/to/1', 8),
      ];
      expect(await validate(text)).toMatchObject({ body: { valid: true, warnings: expected } });
      expect(await create(text)).toMatchObject({ status: 201, body: { warnings: expected } });
    });

    it('with a schema in another dialect end no process', async () => {
      const odd = 'name: odd\ninput: { $async: true, id: x, required: [who] }\nsteps: [{ id: a, output: { k: 1 } }]\n';
      const { body: agent } = await create(odd);
      const start = (input: object) => call('POST', `/v1/agents/${agent.id}/runs`, { body: { input } });
      expect(await start({})).toMatchObject({ status: 422, body: { code: 'input_invalid' } });
      expect((await start({ who: 'me' })).status).toBe(202);
    });

    it('have a JSON Schema for editors, public and cached', async () => {
      const first = await api.call('GET', '/v1/schemas/agent.v1.json');
      expect(first.status).toBe(200);
      expect(first.headers.get('content-type')).toMatch(/^application\/schema\+json/);
      expect(first.body).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema', required: ['name'] });
      const again = await api.call('GET', '/v1/schemas/agent.v1.json', {
        // Without this `Cache-Control`, `fetch` would add `no-cache` to the conditional request.
        headers: { 'If-None-Match': first.headers.get('etag') ?? '', 'Cache-Control': 'max-age=0' },
      });
      expect(again.status).toBe(304);
    });
  });
});
