import { randomBytes } from 'node:crypto';
import type { JsonObject, JsonValue } from '@app/kernel';
import fc from 'fast-check';
import type { RunAnswer } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

let agents = 0;

interface Created {
  id: string;
  webhook_secret: string;
}

type ShownRun = RunAnswer & { input: JsonObject };

/** Arbitrary keys, including those that every JavaScript object inherits. */
const key = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'hasOwnProperty', 'toString', 'toJSON', 'a', 'name'),
  fc.string({ maxLength: 8, unit: 'grapheme' }).filter((text) => !text.includes('\0')),
);
const { object } = fc.letrec<{ any: unknown; object: unknown }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, 1, 'x'),
    fc.array(tie('any'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(key, tie('any')), { maxLength: 4, selector: ([name]) => name })
    .map((members) => Object.fromEntries(members)),
}));

const COMPLETE: JsonObject = { name: 'Ada', limit: 5, options: { sort: 'asc' } };

/** The values that pass through the API, the definition, Postgres, a worker and a replay. */
describe('values in runs', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start();
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

  /**
   * The runs contain values that Postgres cannot store unchanged: lone surrogates, NUL and long keys.
   */
  describe('a run with odd values', () => {
    const run = async (steps: JsonObject[], more: JsonObject = {}, input: JsonObject = {}) => {
      const definition = { ...aToolAgent(`odd-${++agents}`, scene.ledger.url, []), steps, ...more };
      const agent = await scene.stack.client.createAgent(definition);
      const { id } = await scene.stack.client.expect<{ id: string }>('POST', `/v1/agents/${agent}/runs`, { input });
      return eventually(async () => {
        const shown = await scene.stack.client.run(id);
        expect(shown.ended_at).not.toBeNull();
        return shown;
      });
    };

    const write = { id: 'write', tool: 'tool.write', with: { place: 'write' } };

    it.each([300, 300_000])('keeps an answer of %i emojis, wherever its summary and its record end', async (emojis) => {
      for (const before of ['', 'x']) {
        scene.ledger.script('/write', { body: before + '😀'.repeat(emojis) });
        expect(await run([write])).toMatchObject({ status: 'succeeded', error: null });
      }
      expect(scene.ledger.callsOf('/write')).toHaveLength(2);
    });

    it('keeps an answer with a NUL and half a surrogate pair', async () => {
      scene.ledger.script('/write', { body: { note: 'a\0b\ud83d' } });
      const result = { id: 'result', output: { note: '${{ steps.write.output.note }}' } };
      expect(await run([write, result])).toMatchObject({ status: 'succeeded', output: { note: 'a\ufffdb\ufffd' } });
    });

    it('computes half an emoji and continues', async () => {
      const result = { id: 'result', output: { start: '${{ json.decode(input.text) }}', nul: "${{ 'a\\u0000b' }}" } };
      expect(await run([result], {}, { text: '"ab\\ud83d"' })).toMatchObject({
        status: 'succeeded',
        output: { start: 'ab\ufffd', nul: 'a\ufffdb' },
      });
    });

    it('is begun, however long its concurrency key is', async () => {
      const key = randomBytes(20_000).toString('base64');
      const concurrency = { max: 1, key: '${{ input.key }}', max_per_key: 1 };
      const result = { id: 'result', output: { done: true } };
      expect(await run([result], { concurrency }, { key })).toMatchObject({ status: 'succeeded' });
    });

    it('is accepted with the longest times that a definition takes', async () => {
      const longest = '9999d';
      const limits = { queue_ttl: longest, max_duration: longest, max_wait: longest };
      const retry = { max_attempts: 2, initial: longest, max: longest };
      const steps = [{ ...write, timeout: longest, retry }];
      expect(await run(steps, { limits })).toMatchObject({ status: 'succeeded' });
    });
  });

  /** JSON has no reserved keys. A run must therefore keep any valid body unchanged, from its trigger to its replay. */
  describe('data with any keys', () => {
    let agent: Created;

    beforeAll(async () => {
      agent = await scene.stack.client.expect('POST', '/v1/agents', {
        ...aToolAgent('any-keys', scene.ledger.url, []),
        input: {
          type: 'object',
          required: ['data'],
          properties: { data: { type: 'object' } },
          additionalProperties: false,
        },
        triggers: [
          { id: 'hook', type: 'webhook', filter: 'body.customer.kind == "person"', map: { data: '${{ body }}' } },
        ],
        redact: { paths: ['input.data.iban'] },
        steps: [
          { id: 'write', tool: 'tool.write', with: { place: 'write', sent: '${{ input.data }}' } },
          { id: 'result', output: { echoed: '${{ steps.write.output.sent }}', copied: '${{ input.data }}' } },
        ],
      });
    });
    beforeEach(() => scene.ledger.always('/write', { body: (call) => JSON.parse(call.body) as JsonObject }));
    afterEach(() => expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('polluted'));

    const trigger = async (text: string): Promise<{ status: number; body: { run: string } }> => {
      const response = await fetch(`${scene.stack.baseUrl}/v1/agents/${agent.id}/trigger`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Service-Webhook-Secret': agent.webhook_secret },
        body: text,
      });
      return { status: response.status, body: (await response.json()) as { run: string } };
    };

    const ended = (id: string): Promise<ShownRun> =>
      eventually(async () => {
        const run = await scene.stack.client.expect<ShownRun>('GET', `/v1/runs/${id}`);
        expect(run.ended_at).not.toBeNull();
        return run;
      });

    const succeeded = async (id: string, data: unknown): Promise<void> => {
      const run = await ended(id);
      expect(run).toMatchObject({ status: 'succeeded', error: null });
      expect(asText([run.input, run.output])).toBe(asText([{ data }, { echoed: data, copied: data }]));
    };

    it('is the same in the input, in the call of a tool, in its answer, in the trace and in a replay', async () => {
      await fc.assert(
        fc.asyncProperty(object, async (drawn) => {
          const data = { ...(drawn as JsonObject), customer: { constructor: { name: 'Ada' }, kind: 'person' } };
          const { status, body } = await trigger(JSON.stringify(data));
          expect(status).toBe(202);
          await succeeded(body.run, data);
          const call = scene.ledger.callsOf('/write', body.run)[0];
          expect(asText(JSON.parse(call!.body))).toBe(asText({ sent: data }));
          const { steps } = await scene.stack.client.trace(body.run);
          const step = steps.find(({ path }) => path === 'write');
          expect(asText(step?.request)).toBe(asText({ place: 'write', sent: data }));
          for (const tool_results of ['recorded', 'live']) {
            const replay = await scene.stack.client.expect<RunAnswer>('POST', `/v1/runs/${body.run}/replay`, {
              mode: 'production',
              tool_results,
            });
            await succeeded(replay.id, data);
          }
        }),
        { numRuns: 12 },
      );
    });

    it('is started by API as well, with thousands of order lines and nested deeply', async () => {
      const lines = Array.from({ length: 4_000 }, (_, at) => ({ sku: `sku-${at}`, amount: at, constructor: null }));
      const deep = JSON.parse(`${'{"__proto__":['.repeat(95)}${']}'.repeat(95)}`) as JsonObject;
      for (const data of [{ lines }, { deep }] as JsonObject[]) {
        const { id } = await scene.stack.client.startRun(agent.id, { data });
        await succeeded(id, data);
      }
    });
  });

  /** Each way to start a run must fill missing fields of its input with the defaults in the definition. */
  describe('the defaults of the input', () => {
    let agent: Created;

    const definition: JsonObject = {
      name: 'defaults',
      input: {
        type: 'object',
        required: ['name', 'limit'],
        properties: {
          name: { type: 'string' },
          limit: { type: 'number', default: 5 },
          options: { $ref: '#/$defs/options' },
        },
        $defs: {
          options: { type: 'object', default: {}, properties: { sort: { enum: ['asc', 'desc'], default: 'asc' } } },
        },
      },
      triggers: [
        { id: 'hook', type: 'webhook', map: { name: '${{ body.name }}' } },
        { id: 'morning', type: 'schedule', cron: '0 7 1 1 *', input: { name: 'Ada' } },
      ],
      steps: [{ id: 'result', output: { limit: '${{ input.limit }}', sort: '${{ input.options.sort }}' } }],
      evaluation: {
        cases: [
          {
            name: 'filled',
            input: { name: 'Ada' },
            assert: [{ type: 'cel', value: 'output.limit == 5.0 && input.options.sort == "asc"' }],
          },
        ],
        gate: {},
      },
    };

    beforeAll(async () => {
      agent = await scene.stack.client.expect<Created>('POST', '/v1/agents', definition);
    });

    const inputOf = async (id: string) => {
      const run = await eventually(async () => {
        const found = await scene.stack.client.expect<{ status: string; input: JsonObject; output: JsonObject }>(
          'GET',
          `/v1/runs/${id}`,
        );
        expect(found.status).toBe('succeeded');
        return found;
      });
      return run.input;
    };

    it('fill the input of runs that the API starts, of drafts and of replays', async () => {
      const { client } = scene.stack;
      const { id } = await client.startRun(agent.id, { name: 'Ada' });
      expect(await inputOf(id)).toEqual(COMPLETE);
      const replay = { mode: 'test', tool_results: 'recorded' };
      const again = await client.expect<{ id: string }>('POST', `/v1/runs/${id}/replay`, replay);
      expect(await inputOf(again.id)).toEqual(COMPLETE);
      const draft = { definition, input: { name: 'Ada' } };
      const drafted = await client.expect<{ id: string }>('POST', '/v1/definitions/runs', draft);
      expect(await inputOf(drafted.id)).toEqual(COMPLETE);
      const given = await client.startRun(agent.id, { name: 'Ada', limit: 7, options: { sort: 'desc' } });
      expect(await inputOf(given.id)).toEqual({ name: 'Ada', limit: 7, options: { sort: 'desc' } });
    });

    it('never replace null, and are applied before validation', async () => {
      const path = `/v1/agents/${agent.id}/runs`;
      const refused = await scene.stack.client.call('POST', path, { input: { name: 'Ada', limit: null } });
      expect(refused).toMatchObject({
        status: 422,
        body: { code: 'input_invalid', errors: [{ pointer: '/input/limit' }] },
      });
    });

    it('fill the input of runs that a webhook or a schedule starts', async () => {
      const { client } = scene.stack;
      const headers = { 'x-service-webhook-secret': agent.webhook_secret };
      const hook = await client.call<{ run: string }>(
        'POST',
        `/v1/agents/${agent.id}/trigger`,
        { name: 'Ada' },
        headers,
      );
      expect(await inputOf(hook.body.run)).toEqual(COMPLETE);
      const path = `/v1/agents/${agent.id}/triggers/morning/run`;
      const fired = await client.expect<{ id: string }>('POST', path, {});
      expect(await inputOf(fired.id)).toEqual(COMPLETE);
    });

    it('fill the input of runs that another agent starts, and of the cases of an evaluation', async () => {
      const { client } = scene.stack;
      const parent = await client.createAgent({
        name: 'parent',
        tools: [{ name: 'helper', type: 'agent', agent: 'defaults' }],
        steps: [
          { id: 'help', tool: 'helper.run', with: { name: 'Ada' } },
          { id: 'result', output: '${{ steps.help.output }}' },
        ],
      });
      const { id } = await client.startRun(parent);
      await inputOf(id);
      expect(await client.run(id)).toMatchObject({ output: { limit: 5, sort: 'asc' } });
      const evaluation = await client.expect<{ id: string }>('POST', `/v1/agents/${agent.id}/versions/1/evaluate`);
      await eventually(async () => {
        expect(await client.expect('GET', `/v1/evaluations/${evaluation.id}`)).toMatchObject({ status: 'passed' });
      });
    });

    it('are refused at creation if one does not fit', async () => {
      const input: JsonObject = { type: 'object', properties: { limit: { type: 'number', default: 'five' } } };
      const wrong = { name: 'wrong', input, steps: [{ id: 'result', output: 1 }] };
      expect(await scene.stack.client.call('POST', '/v1/agents', wrong)).toMatchObject({
        status: 422,
        body: { code: 'definition_invalid', errors: [{ pointer: '/input/properties/limit/default' }] },
      });
    });
  });

  /**
   * Unit tests cover each function of the expression language. In this test, agents call the functions with values that
   * pass through the API and Postgres.
   */
  describe('functions in a run', () => {
    const ended = (id: string) =>
      eventually(async () => {
        const run = await scene.stack.client.run(id);
        expect(run.ended_at).not.toBeNull();
        return run;
      });

    const run = async (steps: JsonObject[], input: JsonObject = {}) => {
      const agent = await scene.stack.client.createAgent({
        name: `functions-${++agents}`,
        tools: [
          {
            name: 'shop',
            type: 'http',
            base_url: scene.ledger.url,
            operations: [{ name: 'read', method: 'GET', path: '/orders' }],
          },
        ],
        steps,
      });
      return ended((await scene.stack.client.startRun(agent, input)).id);
    };

    it('see the members of a recorded value in its order, before the run is suspended and after it', async () => {
      scene.ledger.script('/orders', { body: { zeta: 1, b: 2, aa: { d: 3, c: 4 } } });
      const seen = {
        names: '${{ steps.read.output.map(name, name) }}',
        text: '${{ json.encode(steps.read.output) }}',
        uuid: '${{ run.uuid("order") }}',
      };
      const { output } = await run([
        { id: 'read', tool: 'shop.read' },
        { id: 'before', let: seen },
        { id: 'pause', wait: { for: '1s' } },
        { id: 'after', let: seen },
        {
          id: 'result',
          output: {
            before: '${{ steps.before.output }}',
            after: '${{ steps.after.output }}',
            recorded: '${{ steps.read.output }}',
          },
        },
      ]);
      const { before, after, recorded } = output as Record<'before' | 'after' | 'recorded', JsonObject>;
      expect(after).toEqual(before);
      expect(recorded).toEqual({ zeta: 1, b: 2, aa: { d: 3, c: 4 } });
      expect(before).toMatchObject({ names: Object.keys(recorded), text: JSON.stringify(recorded) });
    });

    it('give a replay UUIDs of its own', async () => {
      const original = await run([{ id: 'result', output: { order: '${{ run.uuid("order") }}' } }]);
      const again = await scene.stack.client.expect<{ id: string }>('POST', `/v1/runs/${original.id}/replay`, {
        mode: 'production',
        tool_results: 'recorded',
      });
      const replay = await ended(again.id);
      const withUuid = { status: 'succeeded', output: { order: expect.stringMatching(/^[0-9a-f-]{36}$/) } };
      expect(original).toMatchObject(withUuid);
      expect(replay).toMatchObject(withUuid);
      expect(replay.output).not.toEqual(original.output);
    });

    it('read a file of half a megabyte, and return null for an optional that is empty', async () => {
      const csv = 'id;name\r\n' + Array.from({ length: 20_000 }, (_, id) => `${id};customer number ${id}\r\n`).join('');
      const output: JsonValue = {
        rows: '${{ size(csv.decode(input.csv, {"delimiter": ";"})) }}',
        lines: '${{ size(input.csv.split("\\n")) }}',
        last: '${{ csv.decode(input.csv, {"delimiter": ";"}).last().name }}',
        none: '${{ input.?missing }}',
      };
      expect(await run([{ id: 'result', output }], { csv })).toMatchObject({
        status: 'succeeded',
        output: { rows: 20_000, lines: 20_002, last: 'customer number 19999', none: null },
      });
    });

    it('are checked when the definition is created', async () => {
      const steps = [{ id: 'result', output: '${{ input.text.substring(input.n) + input.text.toLowerCase() }}' }];
      const answer = await scene.stack.client.call<{ errors: { detail: string; suggestion?: string }[] }>(
        'POST',
        '/v1/agents',
        { name: `functions-${++agents}`, steps },
      );
      expect(answer.status).toBe(422);
      expect(answer.body.errors[0]).toMatchObject({ suggestion: 'Did you mean `lowerAscii`?' });
    });

    it('fail the step with a reason that has no data in it', async () => {
      const steps = [{ id: 'result', output: '${{ json.decode(input.text) }}' }];
      const { status, error } = await run(steps, { text: '4711-4711' });
      expect({ status, error }).toMatchObject({
        status: 'failed',
        error: { code: 'assertion_failed', step: 'result' },
      });
      expect(JSON.stringify(error)).not.toContain('4711-4711');
    });
  });
});

/**
 * Returns a value as JSON text with sorted keys, because Postgres stores the keys in another order. A comparison of
 * texts also finds keys that `toEqual` ignores.
 */
function asText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(asText).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${asText(member)}`);
  return `{${members.sort().join()}}`;
}
