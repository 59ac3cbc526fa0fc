-- A batch function executes several calls of a function in one commit. Its parameter p_calls is a JSON array with the
-- parameter of each call. In the result, `call` is the position of the call in this array, starting at 1.
--
-- A batch does not wait for locks. If it waited for the locks of one call while it holds those of another, a third
-- transaction, such as a stop, would have to wait too. Therefore the result omits calls that would have to wait, and
-- the caller makes these calls one by one after the batch. A batch waits only for an idempotency key that another
-- process is inserting, so a batch has a lock_timeout of 50 ms. After this timeout, the caller makes all calls of the
-- batch one by one.
--
-- A batch function executes its plain calls together, with one statement for each table. A call is plain if it succeeds
-- and needs none of the rare rules: costs, approvals, child runs, concurrency limits, idempotency keys, resumed steps.
-- A batch function passes every other call to the function for single calls, the only place that contains these rules.
-- A plain call has the same effect in a batch as by itself (see batch-equivalence.int-spec.ts).
--
-- Batch functions forbid query plans that read whole tables. Postgres would choose such a query plan while a table is
-- small, and the session would keep the query plan after the table has grown.

-- Returns the run of each call, in order.
create or replace function run_machine.called_runs(p_calls jsonb) returns text[]
language plpgsql immutable as $$
begin
  return array(select c.call ->> 'run' from jsonb_array_elements(p_calls) with ordinality as c(call, position) order by c.position);
end $$;

-- Returns the workspace of each call, in order.
create or replace function run_machine.called_workspaces(p_calls jsonb) returns text[]
language plpgsql immutable as $$
begin
  return array(select c.call ->> 'workspace' from jsonb_array_elements(p_calls) with ordinality as c(call, position) order by c.position);
end $$;

-- Locks the rows of these runs, except those that another transaction has locked. Returns the ids of the locked runs.
create or replace function run_machine.try_lock_runs(p_runs text[]) returns text[]
language plpgsql volatile as $$
begin
  return array(select r.id from runs r where r.id = any (p_runs) for no key update skip locked);
end $$;

-- Takes the stop locks of these workspaces, except those that a stop holds or waits for. Returns the workspaces whose
-- lock was taken. The caller reads the state of the workspaces in a later statement: see workspace.stop_lock.
create or replace function run_machine.try_stop_locks(p_workspaces text[]) returns text[]
language plpgsql volatile as $$
begin
  return array(select w.id from (select distinct x.id from unnest(p_workspaces) x(id)) w where workspace.try_stop_lock(w.id));
end $$;

-- Returns whether results are plain: they contain only states, outputs, errors and details, and no costs, warnings or
-- opaque parts of model turns.
create or replace function run_machine.are_plain_results(p_results jsonb) returns boolean
language plpgsql immutable as $$
begin
  return p_results is null or not p_results @? '$[*] ? (exists (@.cost) || exists (@.detail.warning) || exists (@.opaque) || exists (@.messages))';
end $$;
