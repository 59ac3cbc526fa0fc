import { randomUUID } from 'node:crypto';
import type { Call } from '../interpreter/plan.js';
import type { ClaimedRun, Creation, StepIntent, StepNote, StepResult } from '../records/run-commands.js';
import { anIntent, aWrite, RunMachine } from '../testing/run-machine.js';

const aCall = (path: string, tool: string): Call => {
  // The code under test reads only the name of the operation.
  const operation = { fullName: tool } as Call['operation'];
  return {
    kind: 'call',
    path,
    stepId: path,
    operation,
    request: { path },
    steps: {},
    timeoutMs: 1,
    try: 1,
    delayMs: 0,
  };
};

describe('a replay in the run store', () => {
  let machine: RunMachine;

  beforeAll(async () => {
    machine = await RunMachine.create({ poolSize: 8 });
  });

  afterAll(() => machine.close());

  const advance = async (
    run: ClaimedRun,
    write: { results?: StepResult[]; notes?: StepNote[]; intents?: StepIntent[] },
  ): Promise<number[]> => {
    const verdict = await machine.store.advance(run, randomUUID(), { results: [], notes: [], intents: [], ...write });
    if (verdict.verdict !== 'ok') throw new Error(`the run could not continue: ${verdict.verdict}`);
    return verdict.steps.map(({ n }) => n);
  };

  /**
   * Creates an ended run with the steps 2 `first` (failed), 3 `first` (succeeded), 4 `check`, 5 `pay` and 6 `last`.
   * Returns its id.
   */
  const anEndedRun = async (): Promise<string> => {
    const run = await machine.aClaimedRun();
    const error = { code: 'tool_error' as const, message: 'busy', step: 'first' };
    const [first = 0] = await advance(run, { intents: [anIntent('first')] });
    const failed: StepResult = { n: first, state: 'failed', error };
    const [again = 0] = await advance(run, { results: [failed], intents: [anIntent('first', { try: 2 })] });
    const [pay = 0] = await advance(run, {
      results: [{ n: again, state: 'succeeded', output: { total: 40 }, detail: { http_status: 200 } }],
      notes: [{ path: 'check', type: 'assertion', state: 'succeeded' }],
      intents: [aWrite('pay')],
    });
    const [last = 0] = await advance(run, {
      results: [{ n: pay, state: 'succeeded', output: { paid: true } }],
      intents: [anIntent('last')],
    });
    await machine.store.finish(run, randomUUID(), {
      results: [{ n: last, state: 'succeeded', output: 1 }],
      notes: [],
      outcome: { status: 'succeeded', output: {} },
    });
    return run.id;
  };

  const aReplay = (
    of: string,
    before: number | null,
    { again = null, ...overrides }: Partial<Creation> & { again?: string | null } = {},
  ): Creation =>
    machine.aCreation({
      pinned: true,
      trigger: { type: 'replay', run: of },
      replay: { of, first: before === null ? null : { n: before, path: again } },
      ...overrides,
    });

  it('begins with what was recorded before its first own step, at positions without gaps', async () => {
    const source = await anEndedRun();
    const replay = aReplay(source, 6);
    expect(await machine.store.create(replay)).toMatchObject({ verdict: 'created', runId: replay.id });
    const run = await machine.store.claim(replay.id, await machine.aWorker(), randomUUID());
    expect(run?.steps).toMatchObject([
      { n: 2, path: 'first', try: 1, state: 'failed', error: { message: 'busy' } },
      { n: 3, path: 'first', try: 2, state: 'succeeded', output: { total: 40 } },
      { n: 4, path: 'pay', try: 1, state: 'succeeded', request: { path: 'pay' }, output: { paid: true } },
    ]);
    expect(await advance(run!, { intents: [anIntent('last')] })).toEqual([5]);
  });

  it('says of each copied step where it comes from, and names the run that it repeats', async () => {
    const source = await anEndedRun();
    const replay = aReplay(source, 4);
    await machine.store.create(replay);
    expect(
      await machine.query('select n, detail, epoch from run_steps where run_id = $1 order by n', [replay.id]),
    ).toEqual([
      { n: 2, detail: { recorded: true, recorded_from: `${source}.2` }, epoch: '1' },
      { n: 3, detail: { http_status: 200, recorded: true, recorded_from: `${source}.3` }, epoch: '1' },
    ]);
    expect(await machine.query('select replay_of, step_n, status from runs where id = $1', [replay.id])).toEqual([
      { replay_of: source, step_n: 3, status: 'queued' },
    ]);
  });

  it('takes nothing over when no first step is named', async () => {
    const source = await anEndedRun();
    const replay = aReplay(source, null);
    await machine.store.create(replay);
    expect(await machine.stepsOf(replay.id)).toEqual([]);
    expect(await machine.query('select replay_of, step_n from runs where id = $1', [replay.id])).toEqual([
      { replay_of: source, step_n: 1 },
    ]);
  });

  it('repeated after a lost answer copies nothing twice, also when its run has gone on meanwhile', async () => {
    const replay = aReplay(await anEndedRun(), 4);
    const first = await machine.store.create(replay);
    const run = await machine.store.claim(replay.id, await machine.aWorker(), randomUUID());
    await advance(run!, { intents: [anIntent('more')] });
    expect(await machine.store.create(replay)).toEqual(first);
    expect(await machine.stepsOf(replay.id)).toEqual(['2 first failed', '3 first succeeded', '4 more started']);
  });

  it('with an idempotency key is one run', async () => {
    const source = await anEndedRun();
    const idempotency = { endpoint: 'POST /replay', key: randomUUID(), fingerprint: Buffer.from('a') };
    const verdicts = await Promise.all(
      Array.from({ length: 6 }, () => machine.store.create(aReplay(source, 6, { idempotency }))),
    );
    expect(verdicts.filter(({ verdict }) => verdict === 'created')).toHaveLength(1);
    const runs = await machine.query('select from runs where replay_of = $1', [source]);
    expect(runs).toHaveLength(1);
  });

  it('is refused like any run, and then leaves nothing behind', async () => {
    const source = await anEndedRun();
    const replay = aReplay(source, 6, { version: 9 });
    expect(await machine.store.create(replay)).toEqual({ verdict: 'version_unknown' });
    expect(await machine.stepsOf(replay.id)).toEqual([]);
  });

  it('takes over a decision of a person only where nothing is written', async () => {
    const source = await anEndedRun();
    await machine.query(
      `insert into run_steps (run_id, n, workspace_id, path, type, state, attempt, op, epoch, ended_at)
       values ($1, 7, $2, 'sign-off', 'approval', 'succeeded', 1, gen_random_uuid(), 1, clock_timestamp()),
              ($1, 8, $2, 'pay#approval', 'approval', 'succeeded', 1, gen_random_uuid(), 1, clock_timestamp())`,
      [source, machine.workspaceId],
    );
    const inTest = aReplay(source, 9, { mode: 'test' });
    await machine.store.create(inTest);
    expect((await machine.stepsOf(inTest.id)).slice(3)).toEqual(['5 last succeeded', '6 sign-off succeeded']);
    const inProduction = aReplay(source, 9);
    await machine.store.create(inProduction);
    expect((await machine.stepsOf(inProduction.id)).slice(3)).toEqual(['5 last succeeded']);
  });

  it('copies simulated results only in mode test', async () => {
    const source = await anEndedRun();
    await machine.query(`update run_steps set state = 'simulated' where run_id = $1 and path = 'pay'`, [source]);
    const inTest = aReplay(source, 6, { mode: 'test' });
    await machine.store.create(inTest);
    expect(await machine.stepsOf(inTest.id)).toContain('4 pay simulated');
    const inProduction = aReplay(source, 6);
    await machine.store.create(inProduction);
    expect(await machine.stepsOf(inProduction.id)).toEqual(['2 first failed', '3 first succeeded']);
  });

  it('copies neither the step that is executed again nor, in production, a failure', async () => {
    const source = await anEndedRun();
    const again = aReplay(source, 5, { mode: 'test', again: 'first' });
    await machine.store.create(again);
    expect(await machine.stepsOf(again.id)).toEqual([]);
    await machine.query(`update run_steps set state = 'failed' where run_id = $1 and path = 'pay'`, [source]);
    for (const [mode, copied] of [
      ['test', ['2 first failed', '3 first succeeded', '4 pay failed']],
      ['production', ['2 first failed', '3 first succeeded']],
    ] as const) {
      const replay = aReplay(source, 6, { mode });
      await machine.store.create(replay);
      expect(await machine.stepsOf(replay.id)).toEqual(copied);
    }
  });

  it('asks for recorded calls only when it takes recorded results, and finds those that came to one', async () => {
    const source = await anEndedRun();
    const trigger = { type: 'replay', run: source, tool_results: 'recorded' };
    const run = await machine.aClaimedRun({ ...aReplay(source, null), trigger });
    const calls = await machine.store.recordedCalls(run);
    expect(calls?.find(aCall('first', 'shop.get'))).toMatchObject({
      try: 2,
      state: 'succeeded',
      output: { total: 40 },
    });
    expect(calls?.find(aCall('pay', 'shop.pay'))).toMatchObject({ id: `${source}.5`, output: { paid: true } });
    expect(calls?.find(aCall('check', 'shop.get'))).toBeUndefined();
    expect(
      await machine.store.recordedCalls({ ...run, trigger: { ...trigger, tool_results: 'live' } }),
    ).toBeUndefined();
  });
});
