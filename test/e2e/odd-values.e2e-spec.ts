import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@app/kernel';
import { eventually } from '../support/eventually.js';
import { Scene } from '../support/scene.js';
import { aToolAgent } from '../support/tool-agents.js';

let agents = 0;

/**
 * The runs contain values that Postgres cannot store unchanged: lone surrogates, NUL, long keys, and times outside its
 * calendar.
 */
describe('a run with odd values', () => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await Scene.start({});
  });
  afterEach(() => scene.ledger.reset());
  afterAll(() => scene.stop());

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

  it.each([5, '2026-02-30T08:00:00Z', '0000-01-01T00:00:00Z'])(
    'fails the wait until %j, which is no time',
    async (time) => {
      expect(await run([{ id: 'pause', wait: { until: '${{ input.time }}' } }], {}, { time })).toMatchObject({
        status: 'failed',
        error: { code: 'assertion_failed', step: 'pause' },
      });
    },
  );

  it('is accepted with the longest times that a definition takes', async () => {
    const longest = '9999d';
    const limits = { queue_ttl: longest, max_duration: longest, max_wait: longest };
    const retry = { max_attempts: 2, initial: longest, max: longest };
    const steps = [{ ...write, timeout: longest, retry }];
    expect(await run(steps, { limits })).toMatchObject({ status: 'succeeded' });
  });
});
