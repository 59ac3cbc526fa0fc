-- Deletes the traces of runs that ended more than p_days ago: up to p_limit runs that have steps, in the order of their
-- ids, after p_after and before p_before. Keeps the usage of model turns without their content, because usage reports
-- are computed from it. Also deletes the state that a run in mode test wrote. Keeps the trace of a run while an
-- unfinished replay repeats the run, and permanently if an evaluation refers to the run.
--
-- last: the id of the last examined run, after which the next call continues. Null if no run was examined. The function
-- locks runs without waiting, so any number of workers may call it at the same time.
create or replace function run_machine.purge_traces(
  p_after text, p_before text, p_days integer, p_limit integer, out last text, out forgotten integer)
language plpgsql volatile as $$
declare
  v_looked_at text[];
  v_old text[];
begin
  with recursive stepped as (
    select first.run_id, 1 as i
      from (select s.run_id from run_steps s where s.run_id > p_after and s.run_id < p_before order by s.run_id limit 1) first
    union all
    select next.run_id, stepped.i + 1 from stepped cross join lateral (
      select s.run_id from run_steps s where s.run_id > stepped.run_id and s.run_id < p_before order by s.run_id limit 1) next
     where stepped.i < p_limit)
  select array_agg(run_id), max(run_id) into v_looked_at, last from stepped;
  select array_agg(x.id) into v_old from (
    select r.id from runs r
     where r.id = any (v_looked_at) and r.trace_forgotten_at is null and r.ended_at < clock_timestamp() - p_days * interval '1 day'
       and not r.is_kept and r.id not in (select k from run_machine.repeated_runs() k) and not run_machine.has_open_relative(r.id)
     order by r.id for no key update skip locked) x;
  delete from run_callbacks c where c.run_id = any (v_old);
  delete from turn_states t where t.run_id = any (v_old);
  delete from turn_messages t where t.run_id = any (v_old);
  delete from run_steps s where s.run_id = any (v_old) and s.type <> 'model_call';
  update run_steps s
     set request = null, output = null, error = null,
         detail = jsonb_build_object('provider', s.detail -> 'provider', 'model', s.detail -> 'model', 'usage', s.detail -> 'usage')
   where s.run_id = any (v_old);
  delete from state_entries e where e.run_id <> '' and e.run_id = any (v_old);
  delete from state_writes w where w.run_id = any (v_old);
  update runs r set trace_forgotten_at = clock_timestamp() where r.id = any (v_old);
  forgotten := coalesce(cardinality(v_old), 0);
end $$;

-- Returns the runs that unfinished replays repeat. Retention does not purge these runs.
create or replace function run_machine.repeated_runs() returns setof text
language sql stable as $$
  select r.replay_of from runs r where r.status = 'queued' and r.replay_of is not null
  union select r.replay_of from runs r where r.status = 'running' and r.replay_of is not null
  union select r.replay_of from runs r where r.status = 'waiting_approval' and r.replay_of is not null
$$;

create or replace function run_machine.has_open_relative(p_run text) returns boolean
language sql stable as $$
  select exists (select from child_runs c join runs x on x.id = c.parent_run_id where c.run_id = p_run and x.ended_at is null)
    or exists (select from child_runs c join runs x on x.id = c.run_id where c.parent_run_id = p_run and x.ended_at is null)
$$;
