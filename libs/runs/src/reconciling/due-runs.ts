import type { DueWork } from '@app/platform/database';

// The conditions must be cheap with the plan for empty tables too, which a session keeps until the tables are analysed.
// For `min`, Postgres reads one entry of the index of these times.
const DUE_RUN = `(select min(r.wake_at) from runs r where r.status = 'queued') <= statement_timestamp()`;

export const DUE_RUNS: DueWork = { name: 'runs', isDue: DUE_RUN };

/** Also true while the worker executes a run that it has claimed before the last `leaseMillis`. */
export function unknownRuns(workerId: string, leaseMillis: number): DueWork {
  const owner = workerId.replaceAll("'", "''");
  return {
    name: 'unknown_runs',
    isDue: `exists (select from runs r where r.worker_id = '${owner}' and r.status = 'running'
      and r.claimed_at < statement_timestamp() - interval '${leaseMillis} milliseconds')`,
  };
}

export const LOST_RUNS: DueWork = { name: 'lost_runs', isDue: 'exists (select from run_machine.lost_runs(1))' };

export function unreportedCalls(leaseMillis: number): DueWork {
  return {
    name: 'unreported_calls',
    isDue: `exists (select from run_steps s join runs r on r.id = s.run_id
      where s.state = 'started' and r.ended_at < statement_timestamp() - interval '${leaseMillis} milliseconds')`,
  };
}

export const DUE_APPROVALS: DueWork = { name: 'approvals', isDue: 'exists (select from run_machine.due_approvals(1))' };

export const QUEUE_DEADLINES: DueWork = {
  name: 'queue_deadlines',
  isDue: `(select min(r.queue_deadline) from runs r where r.status = 'queued' and r.attempt = 0) <= statement_timestamp()`,
};

export const SUSPENDED_RUNS: DueWork = {
  name: 'suspended_runs',
  isDue: `exists (select from workspaces w where w.state = 'stopped' and (w.cancel_runs or ${DUE_RUN}))
    or exists (select from run_machine.workspaces_to_resume(1))`,
};

export const RUNS_OF_ARCHIVED_AGENTS: DueWork = {
  name: 'archived_agents',
  isDue: `exists (select from agents a where a.sweep_until is not null and a.status = 'archived')`,
};

export const CHILD_RUNS: DueWork = {
  name: 'child_runs',
  isDue: `exists (select from child_runs c where c.state = 'ended')
    or exists (select from child_runs c where c.state = 'open'
      and (select p.ended_at from runs p where p.id = c.parent_run_id) is not null)`,
};
