-- Creates a child run for the call `call` of the run `parent`, at most one for each call. The parent must be running
-- with the fencing token `attempt`. A run that was cancelled or claimed by another worker therefore starts no child
-- run.
--
-- p_call     the members of a call of create_run, and:
--   parent     id of the run that makes the call
--   attempt    fencing token of this run
--   call       key of the call
--   max_depth  greatest allowed depth of the child run; a run without a parent has the depth 0
--   budget     budget of the parent and its child runs, in millionths of its currency; null if there is no limit. If
--              this budget or the budget of a run above the parent is used up, the function starts no run.
--
-- verdict: created
--          replayed         the call already has a run
--          fenced           the parent is not running with `attempt`
--          too_deep         the child run would be deeper than `max_depth`
--          budget_exceeded
--          or a verdict of create_run
create or replace function run_machine.create_child_run(p_call jsonb)
returns table (verdict text, run_id text, version integer, created_at timestamptz)
language plpgsql volatile as $$
declare
  c record;
  created record;
  v_known text;
  v_depth integer;
begin
  select * into c from jsonb_to_record(p_call) as x(run text, workspace text, parent text, attempt integer, call text, max_depth integer,
    budget bigint);
  -- The stop lock is taken before the row lock (see _schema.sql).
  perform workspace.stop_lock(c.workspace);
  perform from runs r where r.id = c.parent and r.workspace_id = c.workspace and r.status = 'running' and r.attempt = c.attempt for no key update;
  if not found then
    return query select 'fenced', null::text, null::integer, null::timestamptz;
    return;
  end if;
  select k.run_id into v_known from child_runs k where k.parent_run_id = c.parent and k.call_key = c.call;
  if found then
    return query select 'replayed', v_known, null::integer, null::timestamptz;
    return;
  end if;
  v_depth := 1 + coalesce((select k.depth from child_runs k where k.run_id = c.parent), 0);
  if v_depth > c.max_depth then
    return query select 'too_deep', null::text, null::integer, null::timestamptz;
    return;
  end if;
  if not run_machine.within_budgets(c.parent, c.budget) then
    return query select 'budget_exceeded', null::text, null::integer, null::timestamptz;
    return;
  end if;
  select * into created from run_machine.create_run(p_call);
  if created.verdict = 'created' then
    insert into child_runs (run_id, workspace_id, parent_run_id, call_key, depth, caller_budget_micros)
      values (c.run, c.workspace, c.parent, c.call, v_depth, c.budget);
  end if;
  return query select created.verdict, created.run_id, created.version, created.created_at;
end $$;
