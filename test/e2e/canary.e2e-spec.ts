import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@app/kernel';
import { newApiKey, newWebhookSecret } from '@app/platform/crypto';
import { eventually } from '../support/eventually.js';
import type { LedgerCall } from '../support/ledger.js';
import { type LoneScene, Scene } from '../support/scene.js';

/** A planted secret. The test fails if one of its parts appears in a place that must not contain secrets. */
interface Canary {
  name: string;
  value: string;
  parts: string[];
}

const half = () => randomBytes(9).toString('hex');

/**
 * Creates a canary that consists of two halves, so that the test also finds a leak of one half. `around` adds text
 * around the halves. This text may appear anywhere.
 */
function canary(name: string, around: (body: string) => string = (body) => body): Canary {
  const halves = [half(), half()];
  return { name, value: around(halves.join('')), parts: halves };
}

/** A canary for an API key. Its first characters and its last four characters may be shown. */
const keyCanary = (name: string, value: string): Canary => ({
  name,
  value,
  parts: [value.slice(14, 32), value.slice(32, -4)],
});

const PLANTED = {
  bearer: canary('a bearer token'),
  header: canary('a header with characters that encoders change', (body) => `k/${body}+"ä"==`),
  password: canary('a password that is sent in base64', (body) => `p:${body}!`),
  replaced: canary('a value that was replaced'),
  unused: canary('a secret that no tool uses'),
  foreignKey: keyCanary("another service's key in an answer", newApiKey('live').key),
  webhook: keyCanary('a webhook secret in an answer', newWebhookSecret()),
  token: canary('a bearer token in an answer', (body) => `eyJhbGciOi.${body}.x-1`),
  connection: canary('a password in the URL of an answer'),
  guessed: keyCanary('a key without an owner', newApiKey('live').key),
  redactedInput: canary('a redacted member of the input', (body) => `DE00 ${body}`),
  redactedAnswer: canary('a redacted member of an answer'),
};

/** Returns the texts to search for: each part in plain text, in hexadecimal, and in its three possible base64 forms. */
function formsOf({ parts }: Canary): string[] {
  return parts.flatMap((part) => {
    const bytes = Buffer.from(part);
    const encoded = [0, 1, 2].map((lost) => bytes.subarray(lost, bytes.length - ((bytes.length - lost) % 3)));
    return [part, bytes.toString('hex'), ...encoded.map((rest) => rest.toString('base64'))];
  });
}

/** A response of the tool that contains the credentials of the request. */
const echo = ({ headers }: LedgerCall): JsonObject => {
  const sent = { authorization: headers.authorization ?? '', key: String(headers['x-key'] ?? '') };
  const text = JSON.stringify(sent);
  return {
    [sent.authorization]: sent,
    text,
    percent: encodeURIComponent(text),
    base64: btoa(`${'.'.repeat(7)}${text}`),
  };
};

const leak = (): JsonObject => ({
  key: PLANTED.foreignKey.value,
  hook: `use ${PLANTED.webhook.value} for it`,
  header: `Authorization: Bearer ${PLANTED.token.value}`,
  database: `postgres://app:${PLANTED.connection.value}@db.example:5432/app`,
});

/** A response of the tool that the service truncates in the middle of a secret. */
const misaligned = ({ headers }: LedgerCall): JsonObject => ({
  padding: '.'.repeat(110 + Math.floor(Math.random() * 40)),
  sent: headers.authorization ?? '',
});

function anAgent(name: string, url: string, steps: JsonObject[], more: JsonObject = {}): JsonObject {
  const operations = (paths: string[]) => [
    ...paths.map((path) => ({ name: path, method: 'GET', path: `/${path}` })),
    { name: 'write', method: 'POST', path: '/write' },
  ];
  const tool = { type: 'http', base_url: url };
  return {
    name,
    tools: [
      {
        ...tool,
        name: 'shop',
        auth: { type: 'bearer', token: '${{ secrets.BEARER }}' },
        headers: { 'X-Key': '${{ secrets.HEADER }}' },
        operations: [
          ...operations(['echo', 'leak', 'fail', 'cut']),
          { name: 'mirror', method: 'POST', path: '/mirror' },
        ],
      },
      {
        ...tool,
        name: 'bank',
        auth: { type: 'basic', username: 'ada', password: '${{ secrets.PASSWORD }}' },
        operations: operations(['echo', 'fail']),
      },
    ],
    steps,
    ...more,
  };
}

const CARELESS_STEPS: JsonObject[] = [
  { id: 'echo', tool: 'shop.echo' },
  { id: 'bank', tool: 'bank.echo', with: { copy: '${{ steps.echo.output.text }}' } },
  { id: 'leak', tool: 'shop.leak' },
  { id: 'cut', tool: 'shop.cut' },
  { id: 'fail', tool: 'shop.fail', continue_on_error: true },
  { id: 'sums', let: { all: '${{ steps.leak.output }}' } },
  { id: 'write', tool: 'shop.write', with: { marker: '${{ input.marker }}', all: '${{ steps.sums.output.all }}' } },
  { id: 'result', output: { echo: '${{ steps.echo.output }}', leak: '${{ steps.leak.output }}' } },
];

/**
 * One step of each kind that records data. The values are secret only because the definition lists them under `redact`.
 */
const DISCREET_STEPS: JsonObject[] = [
  { id: 'mirror', tool: 'shop.mirror', with: { body: 'It said: ${{ input.body }}', marker: '${{ input.marker }}' } },
  { id: 'note', let: { both: '${{ input.body + steps.mirror.output.iban }}' } },
  { id: 'write', tool: 'shop.write', with: { both: '${{ steps.note.output.both }}' } },
  { id: 'check', assert: 'steps.mirror.output.iban != input.body' },
  { id: 'result', output: { iban: '${{ steps.mirror.output.iban }}', body: '${{ steps.mirror.output.said }}' } },
];
const GRUMPY_STEPS: JsonObject[] = [{ id: 'stop', fail: 'No: ${{ input.body }}' }];
const DISCREET: JsonObject = {
  redact: { paths: ['input.body', 'tools.shop.mirror.response.iban'] },
  concurrency: { max: 5, key: '${{ input.body }}', max_per_key: 1 },
  on_failure: [{ id: 'tell', tool: 'shop.write', with: { why: '${{ error.message }}' } }],
};

describe('a secret', () => {
  let scene: LoneScene;
  let planted: Canary[];
  const runs: string[] = [];
  const marker = `visible-${half()}`;

  const client = () => scene.stack.client;
  const putSecret = async (name: string, { value }: Canary) => {
    const response = await fetch(`${scene.stack.baseUrl}/v1/secrets/${name}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${scene.stack.adminKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ value }),
    });
    expect(response.status).toBe(204);
  };
  const carryOut = async (agent: string, status: string, input: JsonObject = {}): Promise<void> => {
    const { id } = await client().startRun(agent, { marker, ...input });
    runs.push(id);
    await eventually(async () => expect((await client().run(id)).status).toBe(status));
  };

  beforeAll(async () => {
    scene = await Scene.alone({
      why: 'reads the whole log, with LOG_LEVEL=trace',
      workers: 1,
      env: { LOG_LEVEL: 'trace' },
    });
    const { ledger } = scene;
    ledger.always('/echo', { body: echo });
    ledger.always('/leak', { body: leak });
    ledger.always('/cut', { body: misaligned });
    ledger.always('/fail', { status: 422, body: (call) => ({ ...echo(call), ...leak() }) });
    ledger.always('/write', { body: echo });
    ledger.always('/mirror', { body: ({ body }) => ({ said: body, iban: PLANTED.redactedAnswer.value }) });
    await putSecret('BEARER', PLANTED.replaced);
    await putSecret('BEARER', PLANTED.bearer);
    await putSecret('HEADER', PLANTED.header);
    await putSecret('PASSWORD', PLANTED.password);
    await putSecret('UNUSED', PLANTED.unused);
    const made = await client().expect<{ id: string; key: string }>('POST', '/v1/api-keys', {
      name: 'ci',
      kind: 'live',
      role: 'operator',
      member: 'admin@example.com',
    });
    const rotated = await client().expect<{ key: string }>('POST', `/v1/api-keys/${made.id}/rotate`, {});
    const agent = await client().expect<{ id: string; webhook_secret: string }>(
      'POST',
      '/v1/agents',
      anAgent('careless', ledger.url, CARELESS_STEPS),
    );
    await fetch(`${scene.stack.baseUrl}/v1/agents?key=${PLANTED.guessed.value}`, {
      headers: { authorization: `Bearer ${PLANTED.guessed.value}` },
    });
    planted = [
      ...Object.values(PLANTED),
      keyCanary('the admin key', scene.stack.adminKey),
      keyCanary('a key', made.key),
      keyCanary('a rotated key', rotated.key),
      keyCanary("an agent's webhook secret", agent.webhook_secret),
    ];
    await carryOut(agent.id, 'succeeded');
    const failing = [{ id: 'fail', tool: 'bank.fail' }];
    const onFailure = [
      { id: 'tell', tool: 'shop.write', with: { why: '${{ error.message }}', marker: '${{ input.marker }}' } },
    ];
    const loser = await client().createAgent(anAgent('failing', ledger.url, failing, { on_failure: onFailure }));
    await carryOut(loser, 'failed');
    const patient = await client().createAgent(anAgent('discreet', ledger.url, DISCREET_STEPS, DISCREET));
    await carryOut(patient, 'succeeded', { body: PLANTED.redactedInput.value });
    const grumpy = await client().createAgent(anAgent('grumpy', ledger.url, GRUMPY_STEPS, DISCREET));
    await carryOut(grumpy, 'failed', { body: PLANTED.redactedInput.value });
  });

  afterAll(() => scene.stop());

  /** Returns the names of the canaries that the text contains. */
  const sightings = (text: string): string[] =>
    planted.filter((each) => formsOf(each).some((form) => text.includes(form))).map(({ name }) => name);

  it('reaches the tools that need it, as it is', () => {
    const [call] = scene.ledger.callsOf('/leak');
    expect(call?.headers.authorization).toBe(`Bearer ${PLANTED.bearer.value}`);
    expect(Buffer.from(String(call?.headers['x-key']), 'latin1').toString('latin1')).toBe(PLANTED.header.value);
    const credentials = scene.ledger.calls.map((each) => each.headers.authorization ?? '');
    expect(credentials).toContain(`Basic ${Buffer.from(`ada:${PLANTED.password.value}`).toString('base64')}`);
    expect(
      scene.ledger
        .callsOf('/write')
        .map((each) => each.body)
        .join(),
    ).toContain(marker);
  });

  it('that is redacted by its path reaches the tools unchanged, and members who may reveal it', async () => {
    const [call] = scene.ledger.callsOf('/mirror');
    expect(String(call?.body)).toContain(PLANTED.redactedInput.value);
    const id = runs.at(-2) ?? '';
    const shown = await client().expect('GET', `/v1/runs/${id}`);
    expect(shown).toMatchObject({
      input: { body: '[redacted]', marker },
      output: { iban: '[redacted]', body: expect.stringContaining('It said: [redacted]') },
    });
    const revealed = await client().expect('GET', `/v1/runs/${id}?reveal=true`);
    expect(revealed).toMatchObject({
      input: { body: PLANTED.redactedInput.value },
      output: { iban: PLANTED.redactedAnswer.value },
    });
    const trace = JSON.stringify(await client().expect('GET', `/v1/runs/${id}/trace?reveal=true`));
    expect(trace).toContain(`It said: ${PLANTED.redactedInput.value}`);
    const audit = await client().expect('GET', '/v1/audit-events?action=run.reveal');
    expect(audit).toMatchObject({
      data: [
        { target: id, detail: { shown: 'trace' } },
        { target: id, detail: { shown: 'run' } },
      ],
    });
    const operator = await client().expect<{ key: string }>('POST', '/v1/api-keys', {
      name: 'curious', kind: 'live', role: 'operator', member: 'admin@example.com',
    }); // prettier-ignore
    const refused = await fetch(`${scene.stack.baseUrl}/v1/runs/${id}?reveal=true`, {
      headers: { authorization: `Bearer ${operator.key}` },
    });
    expect(refused.status).toBe(403);
    await expect(refused.json()).resolves.toMatchObject({ code: 'admin_required', required_scope: 'runs:reveal' });
  });

  it('is found by this very test where it is in the open', () => {
    for (const { name, value } of planted) {
      expect([name, sightings(value)]).toEqual([name, [name]]);
      expect([name, sightings(Buffer.from(`..${value}`).toString('base64'))]).toEqual([name, [name]]);
    }
  });

  it('is in no log', () => {
    const logs = [scene.stack.api, ...scene.stack.workers].map((program) => program.log());
    expect(logs.every((log) => log.length > 500)).toBe(true);
    expect(logs.map(sightings)).toEqual(logs.map(() => []));
  });

  it('is in no answer about runs, agents, keys, secrets or what was done', async () => {
    const paths = ['/v1/runs', '/v1/agents', '/v1/api-keys', '/v1/secrets', '/v1/audit-events', '/v1/approvals'];
    for (const id of runs) paths.push(`/v1/runs/${id}`, `/v1/runs/${id}/trace`);
    let seen = '';
    for (const path of paths) {
      const text = JSON.stringify(await client().expect('GET', path));
      expect([path, sightings(text)]).toEqual([path, []]);
      seen += text;
    }
    expect(seen).toContain(marker);
    expect(seen).toContain('[redacted]');
  });

  it('is in no row of any table', async () => {
    const tables = await scene.stack.query<{ place: string }>(
      `select format('%I.%I', table_schema, table_name) as place from information_schema.tables
        where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    );
    expect(tables.length).toBeGreaterThan(12);
    let seen = '';
    for (const { place } of tables) {
      const rows = await scene.stack.query<{ text: string }>(`select t::text as text from ${place} t`);
      for (const { text } of rows) expect([place, sightings(text), text]).toEqual([place, [], text]);
      seen += rows.map((row) => row.text).join('\n');
    }
    expect(seen).toContain(marker);
  });

  it('that was deleted fails the runs that need it, and says how to set it', async () => {
    await putSecret('GONE', PLANTED.unused);
    const auth = { type: 'bearer', token: '${{ secrets.GONE }}' };
    const tool = { name: 'shop', type: 'http', base_url: scene.ledger.url, auth };
    const agent = await client().createAgent({
      name: 'late',
      tools: [{ ...tool, operations: [{ name: 'gone', method: 'GET', path: '/gone' }] }],
      steps: [{ id: 'call', tool: 'shop.gone' }],
    });
    const known = await client().startRun(agent);
    await eventually(async () => expect((await client().run(known.id)).status).toBe('succeeded'));
    const answer = await fetch(`${scene.stack.baseUrl}/v1/secrets/GONE`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${scene.stack.adminKey}` },
    });
    expect(answer.status).toBe(204);
    const calls = scene.ledger.callsOf('/gone').length;
    const { id } = await client().startRun(agent);
    const run = await eventually(async () => {
      const now = await client().run(id);
      expect(now.status).toBe('failed');
      return now;
    });
    expect(run.error).toMatchObject({ code: 'secret_missing', step: 'call' });
    expect(run.error?.message).toContain('PUT /v1/secrets/GONE');
    expect(scene.ledger.callsOf('/gone')).toHaveLength(calls);
  });
});
