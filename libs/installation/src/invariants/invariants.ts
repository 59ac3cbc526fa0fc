/**
 * A rule that the database must satisfy at any time. Each row that the query returns breaks the rule. $1 is the lowest
 * run id to check (ids sort by creation time). $2 is the grace time in seconds. If a constraint ensures the rule, the
 * query checks that the constraint exists.
 */
export interface Invariant {
  name: string;
  /** The rule in words, as alerts show it. */
  statement: string;
  sql: string;
}

const ACTIVE_CALL = `s.type = 'tool_call' and s.state in ('started', 'in_doubt', 'succeeded')`;

export const INVARIANTS = [
  {
    name: 'I1',
    statement: 'A running run has exactly one owner, and its attempt number is at least 1.',
    sql: `select r.id from runs r
      where r.status = 'running' and r.id >= $1 and (r.worker_id is null or r.attempt = 0 or r.claim_op is null or r.claimed_at is null)`,
  },
  {
    name: 'I2',
    statement: 'The attempt number of a step is not greater than the attempt number of its run.',
    sql: `select distinct s.run_id as id from run_steps s join runs r on r.id = s.run_id
      where s.run_id >= $1 and (s.attempt > r.attempt or s.attempt < 0)`,
  },
  {
    name: 'I3',
    statement:
      'An ended run has no open step, no open approval and no step that began after its end. Its running calls end soon.',
    sql: `select r.id from runs r
      where r.id >= $1 and r.ended_at is not null and (
        exists (select from run_steps s where s.run_id = r.id
          and (s.state in ('awaiting_approval', 'ready', 'waiting') or s.started_at > r.ended_at + interval '1 millisecond'))
        or (r.ended_at < clock_timestamp() - greatest($2, 20) * 2 * interval '1 second'
          and exists (select from run_steps s where s.run_id = r.id and s.state = 'started'))
        or exists (select from approvals a where a.run_id = r.id and a.status = 'open'))`,
  },
  {
    name: 'I4',
    statement: 'No step began while its workspace was stopped. Such a step would have an even epoch.',
    sql: `select distinct s.run_id as id from run_steps s where s.run_id >= $1 and s.epoch % 2 = 0`,
  },
  {
    name: 'I5',
    statement: 'A call that must not happen twice is never repeated if it may have happened.',
    sql: `select distinct s.run_id as id from run_steps s
      where s.run_id >= $1 and s.effect = 'at_most_once' and ${ACTIVE_CALL}
        and exists (select from run_steps later where later.run_id = s.run_id and later.path = s.path and later.n > s.n and later.effect is not null)`,
  },
  {
    name: 'I6',
    statement: 'The positions of a trace have no gaps, and a run has at most one running write.',
    sql: `select r.id from runs r left join lateral (
        select count(*) as steps, max(s.n) as last, count(*) filter (where s.state = 'started' and s.scope = 'write') as writes
          from run_steps s where s.run_id = r.id) t on true
      where r.id >= $1 and r.trace_forgotten_at is null and (r.step_n <> t.steps + 1 or r.step_n <> coalesce(t.last, 1) or t.writes > 1)`,
  },
  {
    name: 'I7',
    statement:
      'Each ended run has one run.completed event, and other runs have none. Each approval has one run.approval_requested event.',
    sql: `select r.id from runs r
      where r.id >= $1 and (r.ended_at is not null)::integer <> (select count(*) from events e where e.run_id = r.id and e.type = 'run.completed')
      union all
      select a.run_id from approvals a
      where a.run_id >= $1 and 1 <> (select count(*) from events e where e.type = 'run.approval_requested' and e.data ->> 'approval' = a.id)`,
  },
  {
    name: 'I8',
    statement: 'A run has the status waiting_approval if and only if one of its approvals is open.',
    sql: `select r.id from runs r
      where r.id >= $1 and (r.status = 'waiting_approval')::integer <> (select count(*) from approvals a where a.run_id = r.id and a.status = 'open')`,
  },
  {
    name: 'I9',
    statement: 'A queued run has a wake time, and no run of an active workspace stays suspended.',
    sql: `select r.id from runs r join workspaces w on w.id = r.workspace_id and w.state = 'active'
      where r.id >= $1 and r.status = 'queued' and (r.wake_at is null or (r.wake_at = 'infinity'
        and coalesce(w.resumed_at, r.created_at) < clock_timestamp() - $2 * interval '1 second'))`,
  },
  {
    name: 'I10',
    statement: 'The worker of a running run is alive. If it dies, the run is recovered soon.',
    sql: `select r.id from runs r left join workers k on k.id = r.worker_id
      where r.id >= $1 and r.status = 'running'
        and greatest(k.lease_until, r.claimed_at) < clock_timestamp() - $2 * interval '1 second'`,
  },
  {
    name: 'I11',
    statement: 'An approval is decided once, and the executed request is the approved request.',
    sql: `select distinct a.run_id as id from approvals a join run_steps s on s.run_id = a.run_id and s.n = a.n
      where a.run_id >= $1 and ((a.status = 'open') <> (a.decided_at is null) or a.request is distinct from s.request)`,
  },
  {
    name: 'I12',
    statement: 'An idempotency key starts at most one run (ensured by a primary key).',
    sql: `select 'idempotency_keys_pk' as id where $1::text is not null and not exists (
        select from pg_constraint c where c.conname = 'idempotency_keys_pk' and c.contype = 'p' and c.convalidated)`,
  },
  {
    name: 'I13',
    statement: 'A run, its steps, its approvals and its events belong to the same workspace.',
    sql: `select distinct r.id from runs r where r.id >= $1 and (
        exists (select from run_steps s where s.run_id = r.id and s.workspace_id <> r.workspace_id)
        or exists (select from approvals a where a.run_id = r.id and a.workspace_id <> r.workspace_id)
        or exists (select from events e where e.run_id = r.id and e.type = 'run.completed' and e.workspace_id <> r.workspace_id))`,
  },
  {
    // Ignores old events, because their deliveries may have been purged. Also ignores endpoints that changed shortly
    // before the event or later, because the deliveries of the event may not reflect the change.
    name: 'I14',
    statement: 'The end of each run has a delivery to every endpoint that had subscribed to it.',
    sql: `select distinct e.run_id as id from events e
      join webhook_endpoints w on w.workspace_id = e.workspace_id and w.status = 'enabled'
        and w.updated_at < e.created_at - interval '5 seconds'
        and e.type = any (w.events) and coalesce(e.data ->> 'agent' = any (w.agents), true)
      where e.run_id >= $1 and e.type = 'run.completed' and e.created_at > clock_timestamp() - interval '6 days'
        and not exists (select from webhook_deliveries d
          where d.event_id = e.id and d.endpoint_id = w.id and d.workspace_id = e.workspace_id)`,
  },
  {
    name: 'I17',
    statement: 'Every step belongs to a run.',
    sql: `select distinct s.run_id as id from run_steps s
      where s.run_id >= $1 and not exists (select from runs r where r.id = s.run_id)`,
  },
] as const satisfies readonly Invariant[];
