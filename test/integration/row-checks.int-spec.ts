import { RunMachine } from '../../libs/runs/src/testing/run-machine.js';

/**
 * The rules for the rows of two tables. Each rule is one condition. The check constraint of a table calls a single
 * function, which must be equivalent to the rules for this table.
 */
const ROW_CHECKS = [
  {
    table: 'runs',
    check: 'runs_row_ck',
    rules: [
      `status in ('queued', 'running', 'waiting_approval', 'succeeded', 'handed_off', 'failed', 'cancelled')`,
      `mode in ('production', 'test')`,
      `(status = 'running') = (worker_id is not null)`,
      `(status = 'queued') = (wake_at is not null)`,
      `(status in ('succeeded', 'handed_off', 'failed', 'cancelled')) = (ended_at is not null)`,
    ],
  },
  {
    table: 'run_steps',
    check: 'run_steps_row_ck',
    rules: [
      'n >= 2',
      `effect in ('read', 'idempotent', 'at_most_once')`,
      `state in ('awaiting_approval', 'ready', 'started', 'interrupted', 'in_doubt', 'succeeded', 'failed', 'denied', 'rejected',
        'simulated', 'cancelled', 'waiting')`,
      `(state in ('awaiting_approval', 'ready', 'started', 'in_doubt', 'waiting')) = (ended_at is null)`,
      `state <> 'waiting' or due_at is not null`,
    ],
  },
] as const;

/**
 * For each column, all values that the check constraint distinguishes, and one invalid value if the column type allows
 * one.
 */
const VALUES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  runs: {
    mode: [`'production'`, `'test'`, `'x'`],
    status: ['queued', 'running', 'waiting_approval', 'succeeded', 'handed_off', 'failed', 'cancelled', 'x'].map(
      (status) => `'${status}'`,
    ),
    worker_id: ['null', `'w'`],
    wake_at: ['null', 'now()'],
    ended_at: ['null', 'now()'],
  },
  run_steps: {
    n: ['1', '2'],
    effect: ['null', `'read'`, `'idempotent'`, `'at_most_once'`, `'x'`],
    state: [
      ...['awaiting_approval', 'ready', 'started', 'in_doubt', 'waiting', 'interrupted', 'succeeded', 'failed'],
      ...['denied', 'rejected', 'simulated', 'cancelled', 'x'],
    ].map((state) => `'${state}'`),
    due_at: ['null', 'now()'],
    ended_at: ['null', 'now()'],
  },
};

/**
 * Number of valid rows among all combinations of these column values. Valid runs have one of two modes and one of seven
 * statuses. Valid steps have one of four effects, including null, and one of twelve states. Eleven states allow
 * `due_at` to be set or null, and one state requires it.
 */
const SOUND: Readonly<Record<string, number>> = { runs: 14, run_steps: 4 * (11 * 2 + 1) };

describe('the one check of a row', () => {
  let machine: RunMachine;

  beforeEach(async () => {
    machine = await RunMachine.create();
  });

  afterEach(() => machine.close());

  it.each(ROW_CHECKS)('of $table accepts exactly the rows that follow each rule', async ({ table, check, rules }) => {
    const [present] = await machine.query<{ condition: string; isValid: boolean }>(
      `select pg_get_expr(conbin, conrelid) as condition, convalidated as "isValid" from pg_constraint where conname = $1`,
      [check],
    );
    expect(present?.isValid).toBe(true);
    const columns = Object.entries(VALUES[table]!).map(
      ([column, values]) => `(values ${values.map((value) => `(${value})`).join(', ')}) as ${column}_(${column})`,
    );
    const expected = rules.map((rule) => `coalesce(${rule}, true)`).join(' and ');
    const [counted] = await machine.query(`
      select count(*) filter (where ${present!.condition} is distinct from (${expected}))::integer as different,
        count(*) filter (where ${present!.condition})::integer as sound
      from ${columns.join(' cross join ')}`);
    expect(counted).toEqual({ different: 0, sound: SOUND[table] });
  });

  it('rejects rows that no operation writes', async () => {
    const { id } = await machine.aClaimedRun();
    const refused = (constraint: string): unknown => expect.objectContaining({ code: '23514', constraint });
    await expect(machine.query(`update runs set status = 'queued' where id = $1`, [id])).rejects.toEqual(
      refused('runs_row_ck'),
    );
    const step = `insert into run_steps (run_id, n, workspace_id, path, type, state, attempt, op, epoch)
      values ($1, 2, 'w', 'a', 'wait', 'waiting', 1, gen_random_uuid(), 1)`;
    await expect(machine.query(step, [id])).rejects.toEqual(refused('run_steps_row_ck'));
  });

  it('is the only check of its table', async () => {
    const checks = await machine.query(`select conname as name from pg_constraint
      where contype = 'c' and conrelid in ('runs'::regclass, 'run_steps'::regclass) order by 1`);
    expect(checks).toEqual([{ name: 'run_steps_row_ck' }, { name: 'runs_row_ck' }]);
  });
});
