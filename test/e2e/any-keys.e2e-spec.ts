import fc from 'fast-check';
import type { JsonObject } from '@app/kernel';
import type { RunAnswer } from '../support/api-client.js';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

interface MadeAgent {
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

/** JSON has no reserved keys. A run must therefore keep any valid body unchanged, from its trigger to its replay. */
describe('data with any keys', () => {
  let scene: Scene;
  let agent: MadeAgent;

  beforeAll(async () => {
    scene = await Scene.start({});
    scene.ledger.always('/write', { body: (call) => JSON.parse(call.body) as JsonObject });
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
  afterEach(() => expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('polluted'));
  afterAll(() => scene.stop());

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
