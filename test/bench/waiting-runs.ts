import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

import type { Pool } from 'pg';

import { startStack } from '../support/stack.js';
import { AS_SHIPPED, type Bench, type ServiceScenario } from './bench.js';
import { benchAgent } from './bench-agents.js';
import { quantile } from './figures.js';
import { cpuMillis, postgresCpuMillis, residentMegabytes } from './process-usage.js';

const WAITING = 100_000;
/** Duration of the idle measurement. A worker does all its periodic work several times in this time. */
const IDLE_SECONDS = 10;
const ASKED = 200;

/**
 * Inserts waiting runs. They are inserted directly instead of started through the API. Half of them wait for a time,
 * and half wait for a person.
 */
const ADD_RUNS = `
  insert into runs (id, workspace_id, agent_id, version, mode, trigger, input, currency, status, wake_at, attempt)
    select 'run_' || lpad(n::text, 26, '0'), $1, $2, 1, 'production', '{"type": "api"}', '{}', 'EUR',
        case when n % 2 = 0 then 'queued' else 'waiting_approval' end,
        case when n % 2 = 0 then clock_timestamp() + interval '1 day' end, 1
      from generate_series(1, $3::integer) n`;
const ADD_APPROVALS = `
  insert into approvals (id, workspace_id, run_id, agent_id, version, n, kind, policy, reason, approvers, required,
      self_approval, allowed_decisions, on_timeout, on_reject, hand_off_to, failure_is_handled, expires_at)
    select 'apr_' || substr(r.id, 5), r.workspace_id, r.id, r.agent_id, 1, 2, 'step', 'p', 'r', '{}', 1, false, '{approve}', 'fail',
        'fail', '{}', false, clock_timestamp() + interval '1 day'
      from runs r where r.status = 'waiting_approval'`;

/** The periodic queries of a worker. They find nothing in this scenario. */
const POLLING: Readonly<Record<string, string>> = {
  'claim_next, p50': `select from run_machine.claim_next(jsonb_build_object('worker', $1::text, 'op', gen_random_uuid()))`,
  'reconciling, p50': `select from run_machine.lost_runs(100), run_machine.due_approvals(100), run_machine.expire_queued(100),
    run_machine.defer_stopped_runs(1000), run_machine.workspaces_to_resume(100) where $1 <> ''`,
};

export const waitingRuns: ServiceScenario = {
  name: 'waiting-runs',
  // Waiting runs are always in Postgres, so the result does not depend on the store of the queue.
  onlyWith: 'postgres',
  async run(bench, { queue, redisUrl, ledger }): Promise<void> {
    // The scenario uses a separate database, so that no other worker sees these runs.
    const own = await bench.openDatabase(`waiting_runs_${queue}`);
    const env = { ...AS_SHIPPED, EGRESS_ALLOW: ledger.egressEntry };
    const stack = await startStack({ databaseUrl: own.url, redisUrl, env });
    try {
      const agent = await stack.client.createAgent(benchAgent('one-tool', ledger.url));
      const worker = stack.workers[0]?.pid ?? 0;
      const count = WAITING / bench.divisor;
      await measure(bench, { queue, database: own.database, worker, waiting: 0 });
      await own.database.query(ADD_RUNS, [stack.workspaceId, agent, count]);
      await own.database.query(ADD_APPROVALS);
      await own.database.query('vacuum analyze');
      await measure(bench, { queue, database: own.database, worker, waiting: count });
    } finally {
      await stack.stop();
    }
  },
};

async function measure(
  { figures }: Bench,
  { queue, database, worker, waiting }: { queue: string; database: Pool; worker: number; waiting: number },
): Promise<void> {
  const add = (name: string, unit: string, value: number | undefined): void => {
    if (value !== undefined) figures.add('waiting-runs', queue, `${waiting} waiting: ${name}`, unit, value);
  };
  const cpu = async () => {
    const { rows } = await database.query<{ pid: number }>('select pg_backend_pid() as pid');
    return [(await cpuMillis(worker)) ?? NaN, (await postgresCpuMillis(rows[0]?.pid ?? 0)) ?? NaN] as const;
  };
  const before = await cpu();
  await pause(IDLE_SECONDS * 1000);
  const after = await cpu();
  add('memory, worker', 'MiB', await residentMegabytes(worker));
  add('CPU, worker', 'ms/s', (after[0] - before[0]) / IDLE_SECONDS);
  add('CPU, postgres', 'ms/s', (after[1] - before[1]) / IDLE_SECONDS);
  for (const [name, statement] of Object.entries(POLLING)) {
    const millis: number[] = [];
    for (let asked = 0; asked < ASKED; asked++) {
      const begun = performance.now();
      await database.query({ name, text: statement, values: [`absent-${randomUUID()}`] });
      millis.push(performance.now() - begun);
    }
    millis.sort((a, b) => a - b);
    add(name, 'ms', quantile(millis, 0.5));
  }
}
