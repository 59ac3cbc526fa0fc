-- Deletes expired draft runs together with their agents: up to p_limit agents after the id p_after, in the order of
-- their ids. If a run has not ended, this call only cancels the run, and a later call deletes it. In between, the
-- cancellation event can still read the run. For `last` and concurrent workers, see purge_traces.
create or replace function run_machine.purge_drafts(
  p_after text, p_limit integer, out last text, out forgotten integer)
language plpgsql volatile as $$
declare
  v_agents text[];
  v_run runs%rowtype;
  v_old text[];
begin
  select array_agg(d.id), max(d.id) into v_agents, last from agents.due_drafts(p_after, p_limit) d(id);
  for v_run in
    select r.* from listed_runs l join runs r on r.id = l.id
     where l.agent_id = any (v_agents) and r.ended_at is null order by r.id for no key update of r skip locked
  loop
    perform run_machine.end_cancelled(v_run, 'A draft run is deleted 24 hours after its start.', null);
  end loop;
  select array_agg(x.id) into v_old from (
    select r.id from listed_runs l join runs r on r.id = l.id
     where l.agent_id = any (v_agents) and r.ended_at < clock_timestamp() - interval '1 minute' and not run_machine.has_open_relative(r.id)
     order by r.id for update of r skip locked) x;
  perform run_machine.delete_runs(v_old);
  select array_agg(a.id) into v_agents from unnest(v_agents) a(id) where not exists (select from listed_runs l where l.agent_id = a.id);
  delete from state_entries e where e.owner_id = any (v_agents) and e.run_id = '';
  perform agents.delete_drafts(v_agents);
  forgotten := coalesce(cardinality(v_agents), 0);
end $$;
