-- Creates a run that repeats `source`, an ended run of the same workspace. If `before` is not null, the same
-- transaction copies the steps that `source` recorded before this position, except earlier attempts of the step with
-- the path `again`. A worker finds these steps as if an earlier attempt had recorded them.
--
-- Copies calls, code and waits with their results. Does not copy notes of the plan (assertions, outputs), because the
-- new run records them again. Copies the decisions of people only if `approvals` is true, because an approval is valid
-- for only one run. `approvals` is false for a run in mode `production`: it gets only results of success, with the
-- failed attempts before them.
--
-- Each copied step has the attempt 0. The worker judges a copied call by the policies when the plan requests it.
-- `detail.approved` states that people approved the call.
--
-- p_call     the members of a call of create_run, and {source, before, again, approvals}
--
-- For the verdicts, see create_run.
create or replace function run_machine.create_replay(p_call jsonb)
returns table (verdict text, run_id text, version integer, created_at timestamptz)
language plpgsql volatile as $$
declare
  c record;
  created record;
  v_now timestamptz;
  v_copied integer;
  v runs%rowtype;
begin
  select * into c from jsonb_to_record(p_call) as x(run text, workspace text, source text, before integer, again text, approvals boolean);
  select * into created from run_machine.create_run(p_call);
  if created.verdict = 'created' then
    -- If the caller repeats the call after a lost response, replay_of is already set, and the steps are not copied
    -- again.
    update runs r set replay_of = c.source where r.id = c.run and r.replay_of is null returning * into v;
    if found and c.before is not null then
      v_now := clock_timestamp();
      insert into run_steps (run_id, n, workspace_id, path, try, type, tool, scope, effect, state, attempt, op, epoch,
          request, output, error, detail, started_at, ended_at)
        select c.run, 1 + row_number() over (order by s.n), c.workspace, s.path, s.try, s.type, s.tool, s.scope, s.effect, s.state,
          0, gen_random_uuid(), w.epoch, s.request, s.output, s.error,
          run_machine.detail_with_approval(s) || jsonb_build_object('recorded', true, 'recorded_from', s.run_id || '.' || s.n), v_now, v_now
        from run_steps s join workspaces w on w.id = s.workspace_id
        where s.workspace_id = c.workspace and s.run_id = c.source and s.n < c.before
          and s.state in ('succeeded', 'failed', 'denied', 'rejected', 'simulated')
          and (c.again is null or s.path <> c.again)
          and (c.approvals or s.state = 'succeeded' or (s.state = 'failed' and exists (
            select from run_steps l where l.run_id = s.run_id and l.n > s.n and l.n < c.before and l.path = s.path and l.state = 'succeeded')))
          -- Excludes paths with #, which belong to the approval of a call or to the reconciliation of its outcome.
          and s.path not like '%#%' and (s.type in ('tool_call', 'model_call', 'wait', 'code') or (c.approvals and s.type = 'approval'));
      get diagnostics v_copied = row_count;
      update runs r set step_n = 1 + v_copied where r.id = c.run;
      -- Records which copied turns had opaque parts. The parts are not copied.
      insert into turn_states (run_id, n, workspace_id, origin)
        select c.run, s.n, c.workspace, t.origin
          from run_steps s join turn_states t on t.run_id || '.' || t.n = s.detail ->> 'recorded_from'
         where s.run_id = c.run and s.type = 'model_call' and t.run_id = c.source and t.workspace_id = c.workspace;
      perform run_machine.copy_turn_messages(c.workspace, c.source, c.run);
      if files.refer_again(run_machine.file_run(v), c.source, array(select s.path from run_steps s where s.run_id = c.run)) then
        update runs r set has_files = true where r.id = c.run;
      end if;
    end if;
  end if;
  return query select created.verdict, created.run_id, created.version, created.created_at;
end $$;
