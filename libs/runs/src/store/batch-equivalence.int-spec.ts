import { randomUUID } from 'node:crypto';
import type { JsonObject, JsonValue } from '@app/kernel';
import fc from 'fast-check';
import type { ClaimedRun, QueueRules } from '../records/run-commands.js';
import { aGate, anIntent, aWrite, RunMachine } from '../testing/run-machine.js';
import { creationCall, sqlIntent } from './run-store-wire.js';

/** They differ in each run of the test. */
const EXAMPLES = 20;
const MAX_BATCH = 8;

/** States of a run before the tested call. */
const HISTORIES = [
  'claimed',
  'calling',
  'in doubt',
  'interrupted',
  'cancelled',
  'taken over',
  'repeated',
  'limited',
  'child',
] as const;
type History = (typeof HISTORIES)[number];

const RESULTS = {
  none: null,
  succeeded: { state: 'succeeded', output: { ok: true }, detail: { http_status: 200 } },
  failed: { state: 'failed', error: { code: 'tool_error', message: 'failed' } },
  'in doubt': { state: 'in_doubt', detail: { reason: 'timeout' } },
  ready: { state: 'ready' },
  reconciled: { state: 'succeeded', output: {}, detail: { reconciled: true } },
  warned: { state: 'succeeded', output: {}, detail: { warning: 'The answer was truncated.' } },
  paid: {
    state: 'succeeded',
    output: 'text',
    cost: {
      provider: 'p',
      model: 'm',
      input: 1,
      output: 1,
      cacheRead: 0,
      cacheWrite: 0,
      reasoning: 0,
      micros: 5,
      currency: 'EUR',
      partial: false,
    },
  },
} satisfies Record<string, JsonObject | null>;

const NOTES = {
  none: null,
  one: [{ path: 'check', type: 'assertion', state: 'succeeded', detail: { expression: 'true' } }],
  two: [
    { path: 'a', type: 'assertion', state: 'succeeded' },
    { path: 'b', type: 'output', state: 'succeeded', detail: { output: { x: 1 } } },
  ],
} satisfies Record<string, JsonValue>;

const INTENTS = {
  none: null,
  read: [anIntent('read')],
  'read and write': [anIntent('read', { try: 2 }), aWrite('write')],
  model: [{ path: 'ask', type: 'model_call', effect: 'read', request: { provider: 'p', model: 'm' } } as const],
  approval: [aWrite('pay'), { ...aWrite('refund'), gate: aGate() }],
  wait: [{ path: 'pause', type: 'wait', dueInMs: 1_000 } as const],
  'resumed call': [anIntent('first', { resumes: 2 })],
};

const OUTCOMES = {
  succeeded: { status: 'succeeded', output: { x: 1 } },
  'succeeded with null': { status: 'succeeded', output: null },
  failed: { status: 'failed', error: { code: 'failed', message: 'm' } },
  'handed off': { status: 'handed_off' },
} satisfies Record<string, JsonObject>;

const keysOf = <Key extends string>(cases: Record<Key, unknown>) => fc.constantFrom(...(Object.keys(cases) as Key[]));
const aStep = fc.record({ history: fc.constantFrom(...HISTORIES), results: keysOf(RESULTS), notes: keysOf(NOTES) });
const anAdvance = fc.record({ step: aStep, intents: keysOf(INTENTS) });
const anEnd = fc.record({ step: aStep, outcome: keysOf(OUTCOMES) });
const manyOf = <Value>(call: fc.Arbitrary<Value>) => fc.array(call, { minLength: 2, maxLength: MAX_BATCH });

interface Prepared {
  run: ClaimedRun;
  op: string;
}

interface Call {
  runId: string;
  call: object;
}

describe('a batch of calls', () => {
  let machine: RunMachine;

  beforeAll(async () => {
    machine = await RunMachine.create();
  });
  afterAll(() => machine.close());

  const limits = (rules: Partial<QueueRules>): QueueRules => ({ queueTtlMs: null, concurrency: null, ...rules });
  const LIMITED = limits({ concurrency: { max: 1_000, key: 'k', maxPerKey: 1_000, rejectConflict: false } });

  const prepare = async (history: History): Promise<Prepared> => {
    const run = await machine.aClaimedRun(history === 'limited' ? { rules: LIMITED } : {});
    const op = randomUUID();
    const first = { results: [], notes: [], intents: [aWrite('first')] };
    if (history !== 'claimed') await machine.store.advance(run, history === 'repeated' ? op : randomUUID(), first);
    const set = (table: string, assignment: string, condition: string) =>
      machine.query(`update ${table} set ${assignment} where ${condition} = $1`, [run.id]);
    if (history === 'in doubt') await set('run_steps', `state = 'in_doubt'`, 'run_id');
    if (history === 'interrupted')
      await set('run_steps', `state = 'interrupted', ended_at = clock_timestamp()`, 'run_id');
    if (history === 'cancelled')
      await set('runs', `status = 'cancelled', ended_at = clock_timestamp(), worker_id = null`, 'id');
    if (history === 'taken over') await set('runs', 'attempt = attempt + 1', 'id');
    if (history === 'child')
      await machine.query(
        `insert into child_runs (run_id, workspace_id, parent_run_id, call_key, depth) values ($1, $2, 'run_parent', $1, 1)`,
        [run.id, machine.workspaceId],
      );
    return { run, op };
  };

  /**
   * Makes the same calls twice, on runs with the same history: first one by one, then in one batch. Expects the same
   * results and the same rows in both cases.
   */
  const expectSame = async (operation: string, calls: () => Promise<Call[]>): Promise<void> => {
    const [apart, together] = [await calls(), await calls()];
    const one = ({ call }: Call) =>
      machine.query<JsonObject>(`select * from run_machine.${operation}($1)`, [JSON.stringify(call)]).then(
        (rows) => rows[0] ?? null,
        (error: unknown) => String(error),
      );
    const endedBefore = await endedRuns();
    const answersApart: unknown[] = [];
    for (const call of apart) answersApart.push(await one(call));
    const endedApart = (await endedRuns()) - endedBefore;

    const batch = JSON.stringify(together.map(({ call }) => call));
    const rows = await machine
      .query<JsonObject>(`select * from run_machine.${operation}_batch($1)`, [batch])
      .catch(() => []);
    const answersTogether: unknown[] = [];
    for (const [position, call] of together.entries()) {
      const row = rows.find((each) => each.call === position + 1);
      const { call: _, ...answer } = row ?? {};
      answersTogether.push(row ? (answer.id === null ? null : answer) : await one(call));
    }
    expect(answersTogether.map((answer, at) => comparable(answer, together[at]!.runId))).toEqual(
      answersApart.map((answer, at) => comparable(answer, apart[at]!.runId)),
    );
    for (const [at, { runId }] of together.entries())
      expect(await rowsOf(runId)).toEqual(await rowsOf(apart[at]!.runId));
    expect((await endedRuns()) - endedBefore).toBe(2 * endedApart);
  };

  const endedRuns = async (): Promise<number> =>
    (await machine.query<{ count: number }>('select count(*)::integer from ended_runs'))[0]!.count;

  const rowsOf = async (runId: string): Promise<unknown> => {
    const tables = await Promise.all(
      [
        'select *, output::text as output_json from runs where id = $1',
        'select * from run_steps where run_id = $1 order by n',
        'select * from approvals where run_id = $1 order by id',
        'select type, data from events where run_id = $1 order by type',
        'select * from child_runs where run_id = $1',
        'select * from listed_runs where id = $1',
      ].map((text) => machine.query<JsonObject>(text, [runId])),
    );
    return comparable(JSON.parse(JSON.stringify(tables)), runId);
  };

  const resultsOf = (results: keyof typeof RESULTS): JsonValue => RESULTS[results] && [{ n: 2, ...RESULTS[results] }];

  it('advances runs as calls one by one do', async () => {
    await fc.assert(
      fc.asyncProperty(manyOf(anAdvance), async (advances) => {
        await expectSame('advance', () =>
          Promise.all(
            advances.map(async ({ step, intents }) => {
              const { run, op } = await prepare(step.history);
              const intended = INTENTS[intents]?.map(sqlIntent) ?? null;
              const call = {
                run: run.id,
                workspace: run.workspaceId,
                attempt: 1,
                op,
                results: resultsOf(step.results),
                notes: NOTES[step.notes],
                intents: intended,
                pause_ms: intents === 'wait' ? 1_000 : null,
              };
              return { runId: run.id, call };
            }),
          ),
        );
      }),
      { numRuns: EXAMPLES },
    );
  }, 600_000);

  it('ends runs as calls one by one do', async () => {
    await fc.assert(
      fc.asyncProperty(manyOf(anEnd), async (ends) => {
        await expectSame('finish', () =>
          Promise.all(
            ends.map(async ({ step, outcome }) => {
              const { run, op } = await prepare(step.history);
              const [results, notes] = [resultsOf(step.results), NOTES[step.notes]];
              const call = { run: run.id, attempt: 1, op, results, notes, ...OUTCOMES[outcome] };
              return { runId: run.id, call };
            }),
          ),
        );
      }),
      { numRuns: EXAMPLES },
    );
  }, 600_000);

  it('claims runs as calls one by one do', async () => {
    const states = fc.constantFrom('due', 'later', 'running', 'ended', 'limited', 'second claim');
    const workers = fc.constantFrom('with lease', 'without lease');
    await fc.assert(
      fc.asyncProperty(manyOf(fc.record({ state: states, worker: workers })), async (claims) => {
        await expectSame('claim', () =>
          Promise.all(
            claims.map(async ({ state, worker }) => {
              const runId = await machine.aQueuedRun(state === 'limited' ? { rules: LIMITED } : {});
              const change = {
                due: null,
                limited: null,
                later: `wake_at = clock_timestamp() + interval '1 hour'`,
                running: `status = 'running', wake_at = null, worker_id = 'other', attempt = 1, claimed_at = clock_timestamp()`,
                ended: `status = 'failed', wake_at = null, ended_at = clock_timestamp()`,
                'second claim': 'attempt = 1, step_n = 2',
              }[state];
              if (change !== null) await machine.query(`update runs set ${change} where id = $1`, [runId]);
              const id = await machine.aWorker();
              if (worker === 'without lease') await machine.endLease(id);
              return { runId, call: { run: runId, worker: id, op: randomUUID() } };
            }),
          ),
        );
      }),
      { numRuns: EXAMPLES },
    );
  }, 600_000);

  it('creates runs as calls one by one do', async () => {
    const cases = fc.constantFrom('new', 'pinned', 'old version', 'no version', 'no agent', 'limited', 'key', 'labels');
    await fc.assert(
      fc.asyncProperty(manyOf(cases), async (creations) => {
        await expectSame('create_run', async () =>
          creations.map((each) => {
            const creation = machine.aCreation({
              pinned: each === 'pinned' || each === 'no version',
              ...(each === 'old version' && { version: 2 }),
              ...(each === 'no version' && { version: 9 }),
              ...(each === 'no agent' && { agentId: 'agt_none' }),
              ...(each === 'labels' && { labels: { a: 'b' }, initiator: null, mode: 'test' as const }),
              ...(each === 'key' && {
                idempotency: { endpoint: 'POST /runs', key: randomUUID(), fingerprint: Buffer.from('a') },
              }),
              rules: each === 'limited' ? LIMITED : limits({ queueTtlMs: each === 'labels' ? 60_000 : null }),
            });
            return { runId: creation.id, call: creationCall(creation) };
          }),
        );
      }),
      { numRuns: EXAMPLES },
    );
  }, 600_000);
});

/** Names of columns and fields whose values differ between two runs with the same history. */
const VARYING =
  /^(id|op|last_op|claim_op|worker_id|call_key|approval|change_xid|active_ms|duration_ms|queue_deadline)$/;

/**
 * Makes values of different runs comparable. Replaces the run id in texts by a fixed text. Replaces each id, time and
 * duration by a boolean that states whether it is set.
 */
function comparable(value: unknown, runId: string): unknown {
  if (typeof value === 'string') return value.replaceAll(runId, 'run_id');
  if (value instanceof Date) return 'time';
  if (Array.isArray(value)) return value.map((item) => comparable(item, runId));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const varies = VARYING.test(key) || (key.endsWith('_at') && member !== 'infinity');
      return [key, varies ? member !== null : comparable(member, runId)];
    }),
  );
}
