import type { JsonObject } from '@app/kernel';
import { addWorkspace } from '../support/added-workspace.js';
import { ApiClient } from '../support/api-client.js';
import { Scene } from '../support/scene.js';

const LEVELS = 25;
const DOUBLING: JsonObject = {
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    Array.from({ length: LEVELS }, (_, n): [string, JsonObject] => {
      const next = { $ref: `#/$defs/d${n + 1}` };
      return [`d${n}`, n === LEVELS - 1 ? { type: 'string' } : { anyOf: [next, next] }];
    }),
  ),
};
const PATTERNS: JsonObject = {
  type: 'object',
  patternProperties: Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`^[a-z]+-.*${n}x`, false])),
};
const KEYS: JsonObject = Object.fromEntries(Array.from({ length: 4_000 }, (_, n) => [`key-${n}`, n]));

/** Each of these requests would block the process for minutes if the service had no limits for schemas. */
describe('hostile schemas of one workspace', () => {
  let scene: Scene;
  let other: ApiClient;

  beforeAll(async () => {
    scene = await Scene.start();
    const { adminKey } = await addWorkspace(scene.stack);
    other = new ApiClient(() => scene.stack.baseUrl, adminKey);
  });
  afterAll(() => scene.stop(), 600_000);

  it('do not keep the requests of another one waiting', async () => {
    const { client } = scene.stack;
    const plan = (name: string, input: JsonObject): JsonObject => ({ name, input, steps: [{ id: 'a', output: 1 }] });
    const agent = await client.createAgent(plan('patterns', PATTERNS));
    const hostile = Array.from({ length: 2 }, (_, n) => [
      client.call<JsonObject>('POST', '/v1/definitions/validate', plan('x', DOUBLING)),
      client.call<JsonObject>('POST', '/v1/agents', plan(`doubling-${n}`, DOUBLING)),
      client.call<JsonObject>('POST', `/v1/agents/${agent}/runs`, { input: KEYS }),
    ]).flat();
    const served = await other.call('GET', '/v1/agents');
    expect(served.status).toBe(200);
    const answers = await Promise.all(hostile);
    for (const [index, { status, body }] of answers.entries()) {
      expect([200, 422]).toContain(status);
      expect(JSON.stringify(body)).toContain(index % 3 === 2 ? 'cannot be checked' : 'more than 10000 schemas');
    }
  });
});
