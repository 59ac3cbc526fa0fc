import { randomUUID } from 'node:crypto';
import type { JsonObject, JsonValue } from '@app/kernel';
import { anIntent, aWrite, RunMachine } from '../testing/run-machine.js';

const strings = Array.from({ length: 250_000 }, (_, i) => `a${i % 10}`);
const members = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`key${i}`, 'value']));

/** Comparing the values themselves would take most of the time of the test. */
const sizeOf = (value: JsonValue | undefined): number => Object.keys(value as object).length;

/**
 * Postgres ends a statement of a worker after STATEMENT_LIMITS. The statements of this test take a small part of this
 * time if their cost is linear in the size of the values. With a quadratic cost, they exceed it.
 */
describe.each<[string, JsonValue]>([
  ['a list of 250,000 short strings', strings],
  ['an object with 60,000 members', members],
])('a run that records %s', (_, value) => {
  let machine: RunMachine;
  const size = sizeOf(value);

  beforeAll(async () => {
    machine = await RunMachine.create({ poolSize: 16 });
  });

  afterAll(() => machine.close());

  const advance = async (run: Awaited<ReturnType<RunMachine['aClaimedRun']>>, store = machine.store): Promise<void> => {
    const read = await store.advance(run, randomUUID(), { results: [], notes: [], intents: [anIntent('read')] });
    if (read.verdict !== 'ok') throw new Error(read.verdict);
    const results = [{ n: read.steps[0]!.n, state: 'succeeded' as const, output: value }];
    const intents = [{ ...aWrite('write'), request: { value } }];
    const write = await store.advance(run, randomUUID(), { results, notes: [], intents });
    if (write.verdict !== 'ok') throw new Error(write.verdict);
    expect(write.steps.map(({ request }) => sizeOf(request.value))).toEqual([size]);
  };

  it('begins its next call, six runs at once', async () => {
    const runs = await Promise.all(Array.from({ length: 6 }, () => machine.aClaimedRun()));
    await Promise.all(runs.map((run) => advance(run, machine.inOtherProcess().store)));
  });

  it('is claimed again, and is replayed with its results', async () => {
    const run = await machine.aClaimedRun({ input: { value } });
    await advance(run);
    expect(await machine.store.release(run, [])).toBe('released');
    const again = await machine.store.claim(run.id, await machine.aWorker(), randomUUID());
    expect(again?.steps.map(({ output, request }) => sizeOf(output ?? request?.value))).toEqual([size, size]);
    const results = [{ n: again!.steps[1]!.n, state: 'succeeded' as const, output: value }];
    const outcome = { status: 'succeeded' as const, output: value };
    expect(await machine.store.finish(again!, randomUUID(), { results, notes: [], outcome })).toBe('ok');
    const trigger = { type: 'replay', tool_results: 'recorded', run: run.id };
    const replay = await machine.aClaimedRun({ trigger });
    expect(await machine.store.recordedCalls(replay)).toBeDefined();
  });

  it('appears in an event, also if a part of it is sealed', async () => {
    const sealed = { $sealed: 'sealed', shown: '***' };
    const run = await machine.aClaimedRun({ input: { value, sealed } });
    const outcome = { status: 'succeeded' as const, output: [sealed, value] };
    await machine.store.finish(run, randomUUID(), { results: [], notes: [], outcome });
    const [row] = await machine.query<{ snapshot: { input: JsonObject; output: JsonValue[] } }>(
      'select run_machine.run_snapshot($1) as snapshot',
      [run.id],
    );
    const { input, output } = row!.snapshot;
    expect([input.sealed, sizeOf(input.value), output[0], sizeOf(output[1])]).toEqual(['***', size, '***', size]);
  });
});
