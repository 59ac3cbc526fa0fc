import { randomBytes, randomUUID } from 'node:crypto';
import { SealedBox } from '@app/platform/crypto';
import { Resealing } from '@app/platform/resealing';
import { aModelProvider } from '../../../platform/src/models/testing/model-provider.js';
import type { Prompt } from '../interpreter/prompt.js';
import { SEALED_RUN_TABLES } from '../privacy/sealed-tables.js';
import type { ClaimedRun, StepResult } from '../records/run-commands.js';
import { RunMachine } from '../testing/run-machine.js';
import { RunTurns, type TurnPart } from './run-turns.js';
import { cutsLoop, TurnStates } from './turn-states.js';

const MODEL = { provider: 'theirs', name: 'm' };
const PROVIDER = aModelProvider({ secrets: ['key'] });
const PARTS: TurnPart[] = [
  { type: 'reasoning', text: 'b a', options: { openai: { itemId: 'rs_1', reasoningEncryptedContent: 'opaque==' } } },
  { type: 'call', text: '', options: { openai: { itemId: 'fc_1' } } },
];

/** A conversation in which the model has called a tool in each of these turns. */
const afterTurns = (...paths: string[]): Prompt => ({
  system: '',
  messages: [
    { role: 'user', text: 'hi' },
    ...paths.map((turn) => ({ role: 'assistant' as const, text: '', calls: [], turn })),
  ],
  tools: [],
  mayCallTools: true,
});

describe('the opaque parts of turns', () => {
  let machine: RunMachine;
  const key = randomBytes(32);
  let reads = 0;

  beforeAll(async () => {
    machine = await RunMachine.create();
  });

  beforeEach(() => (reads = 0));

  afterAll(() => machine.close());

  const statesOf = (maxBytes = 1_000, keys: [Buffer, ...Buffer[]] = [key]): TurnStates => {
    const turnStates: RunMachine['store']['turnStates'] = (...call) => {
      reads++;
      return machine.store.turnStates(...call);
    };
    return new TurnStates(new SealedBox(keys), { turnStates }, maxBytes);
  };

  const callOf = ({ workspaceId, id: runId }: ClaimedRun, turns: RunTurns, n = 0, path = '') => ({
    ...{ workspaceId, runId, n, path, turns },
    model: MODEL,
  });

  /** Records a turn with the parts, as an attempt does. Returns its warnings. */
  async function aTurn(
    run: ClaimedRun,
    path: string,
    turns = new RunTurns(run.steps),
    states = statesOf(),
    of = PARTS,
  ) {
    const request = { provider: MODEL.provider, model: MODEL.name };
    const intents = [{ type: 'model_call' as const, path, effect: 'read' as const, request }];
    const begun = await machine.store.advance(run, randomUUID(), { results: [], notes: [], intents });
    if (begun.verdict !== 'ok') throw new Error(begun.verdict);
    const { n } = begun.steps[0]!;
    const { opaque, warning } = states.keep(callOf(run, turns, n, path), PROVIDER, of);
    const output = { text: '', calls: [] };
    const results: StepResult[] = [{ n, state: 'succeeded', output, ...(opaque && { opaque }) }];
    await machine.store.advance(run, randomUUID(), { results, notes: [], intents: [] });
    return warning;
  }

  async function claimedAgain(run: ClaimedRun): Promise<ClaimedRun> {
    await machine.store.release(run, []);
    return (await machine.store.claim(run.id, await machine.aWorker(), randomUUID()))!;
  }

  const sent = async (run: ClaimedRun, { states = statesOf(), provider = PROVIDER, model = MODEL } = {}) => {
    const call = { ...callOf(run, new RunTurns(run.steps)), model };
    return states.sendable(call, provider, afterTurns('turn[1]', 'turn[2]'));
  };

  const rowsOf = ({ id }: Pick<ClaimedRun, 'id'>) =>
    machine.query<{ n: number; sealed: Buffer | null }>(
      'select n, sealed from turn_states where run_id = $1 order by n',
      [id],
    );

  it('are recorded encrypted with the turn, and read by a later worker only if a request needs them', async () => {
    const run = await machine.aClaimedRun();
    const turns = new RunTurns();
    const states = statesOf();
    await aTurn(run, 'turn[1]', turns, states);
    expect(await states.sendable(callOf(run, turns), PROVIDER, afterTurns('turn[1]'))).toEqual(
      new Map([['turn[1]', PARTS]]),
    );
    expect(reads).toBe(0);

    const again = await claimedAgain(run);
    expect(JSON.stringify(again)).not.toContain('opaque==');
    expect((await rowsOf(run))[0]!.sealed!.toString('latin1')).not.toContain('opaque');
    const call = callOf(again, new RunTurns(again.steps));
    expect(await states.sendable(call, PROVIDER, afterTurns())).toEqual(new Map());
    expect(reads).toBe(0);
    for (let request = 0; request < 2; request++)
      expect(await states.sendable(call, PROVIDER, afterTurns('turn[1]'))).toEqual(new Map([['turn[1]', PARTS]]));
    expect(reads).toBe(1);
  });

  it('are left out for another model, another key and another workspace, and without the key that sealed them', async () => {
    const run = await machine.aClaimedRun();
    await aTurn(run, 'turn[1]');
    const again = await claimedAgain(run);
    expect(await sent(again, { model: { ...MODEL, name: 'other' } })).toEqual(new Map());
    expect(await sent(again, { model: { ...MODEL, provider: 'other' } })).toEqual(new Map());
    expect(await sent(again, { provider: { ...PROVIDER, secrets: ['other'] } })).toEqual(new Map());
    expect(reads).toBe(0);
    expect(await sent(again, { states: statesOf(1_000, [randomBytes(32)]) })).toEqual(new Map());
    expect(await sent(again)).toEqual(new Map([['turn[1]', PARTS]]));
    const [{ n } = { n: 0 }] = await rowsOf(run);
    expect(await machine.store.turnStates('ws_other', run.id, [n])).toEqual(new Map());
  });

  it('that are too large for a turn or for the run are not kept, with a warning', async () => {
    const run = await machine.aClaimedRun();
    const [tiny, none] = [statesOf(100), statesOf(0)];
    const reason = expect.stringContaining('MAX_TURN_STATE_BYTES (100)');
    expect(await aTurn(run, 'turn[1]', new RunTurns(), tiny)).toEqual({ param: 'reasoning', reason });
    expect(await aTurn(run, 'turn[2]', new RunTurns(), none)).toMatchObject({ param: 'reasoning' });
    expect((await rowsOf(run)).map(({ sealed }) => sealed)).toEqual([null, null]);

    const states = statesOf(250);
    let claimed = await claimedAgain(run);
    const warnings = [];
    for (let n = 3; n < 13; n++) {
      claimed = await claimedAgain(claimed);
      warnings.push(await aTurn(claimed, `turn[${n}]`, new RunTurns(claimed.steps), states));
    }
    const kept = (await rowsOf(run)).flatMap(({ sealed }) => sealed?.length ?? []);
    const bytes = kept.reduce((sum, each) => sum + each, 0);
    expect(bytes).toBeLessThanOrEqual(2_000);
    expect(bytes + kept[0]!).toBeGreaterThan(2_000);
    const ofRun = expect.stringContaining('8 times MAX_TURN_STATE_BYTES (2000 bytes)');
    expect(warnings.slice(kept.length)).toEqual(Array(10 - kept.length).fill({ param: 'reasoning', reason: ofRun }));
  });

  it('that the model rejected, and rejected parameters, are facts for a later worker', async () => {
    const run = await machine.aClaimedRun();
    await aTurn(run, 'turn[1]');
    const facts = { rejected_params: ['cache'], reasoning_dropped: true };
    await machine.query('update run_steps set detail = $2 where run_id = $1', [run.id, facts]);
    const again = await claimedAgain(run);
    expect(new RunTurns(again.steps).rejectedBy(MODEL)).toEqual(['cache']);
    expect(await sent(again)).toEqual(new Map());
  });

  it('without any are not recorded', async () => {
    const run = await machine.aClaimedRun();
    const plain: TurnPart[] = [
      { type: 'reasoning', text: 'I think' },
      { type: 'text', text: 'hi' },
    ];
    await aTurn(run, 'turn[1]', new RunTurns(), statesOf(), plain);
    expect(await rowsOf(run)).toEqual([]);
  });

  it('of an attempt that has lost the run are not recorded', async () => {
    const run = await machine.aClaimedRun();
    const request = { provider: MODEL.provider, model: MODEL.name };
    const intents = [{ type: 'model_call' as const, path: 'turn[1]', effect: 'read' as const, request }];
    const begun = await machine.store.advance(run, randomUUID(), { results: [], notes: [], intents });
    const { n } = begun.verdict === 'ok' ? begun.steps[0]! : { n: 0 };
    await machine.query(`update run_steps set attempt = attempt + 1 where run_id = $1`, [run.id]);
    const { opaque } = statesOf().keep(callOf(run, new RunTurns(), n), PROVIDER, PARTS);
    const results: StepResult[] = [{ n, state: 'succeeded', output: {}, opaque: opaque! }];
    await machine.store.advance(run, randomUUID(), { results, notes: [], intents: [] });
    expect(await rowsOf(run)).toEqual([]);
  });

  it.each(['purge_traces', 'purge_runs'])('are deleted by %s', async (purge) => {
    const run = await machine.aClaimedRun();
    await aTurn(run, 'turn[1]');
    const outcome = { status: 'succeeded' as const, output: null };
    await machine.store.finish(run, randomUUID(), { results: [], notes: [], outcome });
    expect(await rowsOf(run)).toHaveLength(1);
    await machine.query(`update runs set ended_at = ended_at - interval '2 days' where id = $1`, [run.id]);
    await machine.query(`select run_machine.${purge}('', 'x', 1, 1000)`);
    expect(await rowsOf(run)).toEqual([]);
  });

  it('are not copied by a replay, which knows only that they existed', async () => {
    const run = await machine.aClaimedRun();
    await aTurn(run, 'turn[1]');
    const outcome = { status: 'succeeded' as const, output: null };
    await machine.store.finish(run, randomUUID(), { results: [], notes: [], outcome });
    const replay = { of: run.id, first: { n: 1_000, path: 'turn[2]' } } as const;
    const trigger = { type: 'replay', tool_results: 'recorded', run: run.id };
    const again = await machine.aClaimedRun({ trigger, replay });
    expect((await rowsOf(again)).map(({ sealed }) => sealed)).toEqual([null]);
    expect(await sent(again)).toEqual(new Map());
    expect(cutsLoop(afterTurns('turn[1]'), new RunTurns(again.steps), new Map())).toBe(true);
  });

  it('that an earlier release recorded in the output of the turn are left out', async () => {
    const run = await machine.aClaimedRun();
    await aTurn(run, 'turn[1]', new RunTurns(), statesOf(), []);
    const state = { $sealed: 'x', shown: '[redacted]' };
    await machine.query('update run_steps set output = $2 where run_id = $1', [run.id, { text: '', calls: [], state }]);
    const again = await claimedAgain(run);
    expect(await sent(again)).toEqual(new Map());
    expect(cutsLoop(afterTurns('turn[1]'), new RunTurns(again.steps), new Map())).toBe(true);
  });

  it('are sealed again after a change of the key', async () => {
    const run = await machine.aClaimedRun();
    await aTurn(run, 'turn[1]');
    const next = randomBytes(32);
    const tables = SEALED_RUN_TABLES.filter(({ name }) => name === 'turn_states');
    const resealing = new Resealing(machine.newStatements(), new SealedBox([next, key]), tables);
    expect(await resealing.run(() => undefined)).toMatchObject({ complete: true, unreadable: new Map() });
    const again = await claimedAgain(run);
    expect(await sent(again, { states: statesOf(1_000, [next]) })).toEqual(new Map([['turn[1]', PARTS]]));
  });
});
