import { type Clock, systemClock } from '@app/kernel';
import { greeterNamed } from '../fixtures/definitions.js';
import { startApi, type TestApi } from '../support/api.js';
import type { ApiAnswer } from '../support/http-api.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const YAML = { 'Content-Type': 'application/yaml' };

interface Configured {
  env: Record<string, string>;
  definition: { bytes: number; depth: number };
  inputBytes: number;
  uploadBytes: number;
  idempotencyHours: number;
  cursorHours: number;
}

const SMALL: Configured = {
  env: {
    MAX_DEFINITION_BYTES: '20000',
    MAX_DEFINITION_DEPTH: '16',
    MAX_INPUT_BYTES: '70000',
    MAX_UPLOAD_BYTES: '65536',
    IDEMPOTENCY_HOURS: '1',
    CURSOR_HOURS: '1',
  },
  definition: { bytes: 20_000, depth: 16 },
  inputBytes: 70_000,
  uploadBytes: 65_536,
  idempotencyHours: 1,
  cursorHours: 1,
};

const LARGE: Configured = {
  env: {
    MAX_DEFINITION_BYTES: '1048576',
    MAX_DEFINITION_DEPTH: '128',
    MAX_INPUT_BYTES: '4194304',
    MAX_UPLOAD_BYTES: '60000000',
    IDEMPOTENCY_HOURS: '48',
    CURSOR_HOURS: '720',
  },
  definition: { bytes: 1_048_576, depth: 128 },
  inputBytes: 4_194_304,
  uploadBytes: 60_000_000,
  idempotencyHours: 48,
  cursorHours: 720,
};

describe.each([
  ['smaller', SMALL],
  ['larger', LARGE],
])(
  'limits that the operator has made %s',
  (_, { env, definition, inputBytes, uploadBytes, idempotencyHours, cursorHours }) => {
    let api: TestApi;
    let key: string;
    let offset = 0;
    const clock: Clock = {
      now: () => new Date(systemClock.now().getTime() + offset),
      monotonicMillis: () => systemClock.monotonicMillis(),
      sleep: (millis, signal) => systemClock.sleep(millis, signal),
    };

    beforeAll(async () => {
      api = await startApi({ env, clock });
      key = (await api.newTenant()).adminKey;
    });

    afterAll(() => api.close());

    const post = (path: string, body: string): Promise<ApiAnswer> =>
      api.call('POST', path, { key, body, headers: YAML });

    function ofBytes(bytes: number, name: string): string {
      const text = `${greeterNamed(name)}# `;
      return text + 'x'.repeat(bytes - Buffer.byteLength(text));
    }

    const ofDepth = (depth: number, name: string): string =>
      `name: ${name}\nsteps: [{ id: a, output: ${'['.repeat(depth - 3)}${']'.repeat(depth - 3)} }]`;

    it('are the bytes of a definition that is stored or checked', async () => {
      expect((await post('/v1/agents', ofBytes(definition.bytes, 'as-long'))).status).toBe(201);
      for (const path of ['/v1/agents', '/v1/definitions/validate']) {
        const { status, body } = await post(path, ofBytes(definition.bytes + 1, 'too-long'));
        expect([status, body.code, body.limit_bytes]).toEqual([413, 'payload_too_large', definition.bytes]);
      }
    });

    it('are the levels of a definition that is stored or checked', async () => {
      expect((await post('/v1/agents', ofDepth(definition.depth, 'as-deep'))).status).toBe(201);
      const tooDeep = ofDepth(definition.depth + 1, 'too-deep');
      expect(await post('/v1/agents', tooDeep)).toMatchObject({ status: 400, body: { code: 'invalid_yaml' } });
      const { body } = await post('/v1/definitions/validate', tooDeep);
      expect(body.errors[0].detail).toContain(`deeper than ${definition.depth} levels`);
    });

    const jsonOf = (bytes: number): string => `{"name":"${'x'.repeat(bytes - '{"name":""}'.length)}"}`;

    it('are the bytes of an input', async () => {
      const { body: agent } = await post('/v1/agents', greeterNamed('greeter'));
      const start = (input: string) =>
        api.call('POST', `/v1/agents/${agent.id}/runs`, { key, body: `{"input": ${input}}`, headers: JSON_TYPE });
      expect((await start(jsonOf(inputBytes))).status).toBe(202);
      const { status, body } = await start(jsonOf(inputBytes + 1));
      expect([status, body.code, body.limit_bytes]).toEqual([413, 'payload_too_large', inputBytes]);
    });

    it('are the bytes of a body that calls a webhook', async () => {
      const trigger = '{ id: hook, type: webhook, map: { name: "${{ body.name }}" } }';
      const { body: agent } = await post('/v1/agents', `${greeterNamed('hooked')}triggers: [${trigger}]\n`);
      const call = (body: string) =>
        api.call('POST', `/v1/agents/${agent.id}/trigger`, {
          headers: { ...JSON_TYPE, 'X-Service-Webhook-Secret': agent.webhook_secret },
          body,
        });
      expect(await call(jsonOf(inputBytes))).toMatchObject({ status: 202, body: { status: 'queued' } });
      const { status, body } = await call(jsonOf(inputBytes + 1));
      expect([status, body.code, body.limit_bytes]).toEqual([413, 'payload_too_large', inputBytes]);
    });

    it('are the bytes of a document that is pushed, in each of the ways', async () => {
      const { body: base } = await api.call('POST', '/v1/knowledge-bases', { key, body: { name: 'handbook' } });
      const sources = `/v1/knowledge-bases/${base.id}/sources`;
      const { body: source } = await api.call('POST', sources, { key, body: { connector: 'upload', config: {} } });
      const push = async (body: Blob | FormData) => {
        const headers = { Authorization: `Bearer ${key}` };
        const url = `${api.url}${sources}/${source.id}/documents?name=a.txt`;
        const response = await fetch(url, { method: 'POST', headers, body });
        const answer = (await response.json()) as Record<string, unknown>;
        return response.status === 202 ? 202 : [response.status, answer.code, answer.limit_bytes];
      };
      const text = (bytes: number) => new Blob(['x'.repeat(bytes)], { type: 'text/plain' });
      const form = (bytes: number) => {
        const files = new FormData();
        files.append('files', text(bytes), 'a.txt');
        return files;
      };
      const json = (bytes: number) => {
        const empty = '{"name":"a.txt","text":""}';
        const whole = empty.replace('""', `"${'x'.repeat(bytes - empty.length)}"`);
        return new Blob([whole], { type: 'application/json' });
      };
      for (const way of [text, form, json]) {
        expect(await push(way(uploadBytes))).toBe(202);
        // Megabytes take seconds, and each way refuses more than a smaller limit.
        if (uploadBytes > SMALL.uploadBytes) continue;
        expect(await push(way(uploadBytes + 1))).toEqual([413, 'payload_too_large', uploadBytes]);
      }
    });

    it('are the hours that a request with an Idempotency-Key is recognised', async () => {
      const keyed = { 'Idempotency-Key': 'once' };
      const headers = { ...JSON_TYPE, ...keyed };
      const { body: agent } = await post('/v1/agents', greeterNamed('repeated'));
      const secret = { 'X-Service-Webhook-Secret': agent.webhook_secret };
      const ways: Record<string, () => Promise<ApiAnswer>> = {
        agent: () =>
          api.call('POST', '/v1/agents', { key, body: greeterNamed('kept'), headers: { ...YAML, ...keyed } }),
        run: () => api.call('POST', `/v1/agents/${agent.id}/runs`, { key, body: '{"input": {"name": "x"}}', headers }),
        trigger: () =>
          api.call('POST', `/v1/agents/${agent.id}/trigger`, {
            body: '{"name": "x"}',
            headers: { ...headers, ...secret },
          }),
      };
      const answers = async () => {
        const all = await Promise.all(Object.values(ways).map((way) => way()));
        return all.map(({ status, body }) => [status, body.id ?? body.run ?? body.code]);
      };
      const age = async (minutes: number) => {
        const by = `interval '${minutes} minutes'`;
        await api.execute(`update idempotency_keys set created_at = created_at - ${by}`);
        await api.execute(`update trigger_receipts set expires_at = expires_at - ${by}`);
      };
      const first = await answers();
      await age(idempotencyHours * 60 - 1);
      expect(await answers()).toEqual(first);
      await age(2);
      const [again, ...others] = await answers();
      expect(again).toEqual([409, 'name_taken']);
      expect(others.map(([status]) => status)).toEqual([202, 202]);
      for (const answer of others) expect(first).not.toContainEqual(answer);
    });

    it('are the hours that a cursor is valid', async () => {
      for (const name of ['first', 'second']) await post('/v1/agents', greeterNamed(name));
      const { body } = await api.call('GET', '/v1/agents?limit=1', { key });
      const next = () => api.call('GET', `/v1/agents?limit=1&cursor=${body.next_cursor}`, { key });
      offset = cursorHours * 3_600_000 - 60_000;
      expect((await next()).status).toBe(200);
      offset += 120_000;
      expect(await next()).toMatchObject({ status: 400, body: { code: 'cursor_expired' } });
      offset = 0;
    });

    it('do not change the OpenAPI document, which names their settings', async () => {
      const { body } = await api.call('GET', '/v1/openapi.json');
      const { description } = body.paths['/v1/agents'].post.requestBody;
      expect(description).toContain('at most `MAX_DEFINITION_BYTES` (default 256 KiB)');
    });
  },
);
