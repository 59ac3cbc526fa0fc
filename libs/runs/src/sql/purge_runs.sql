-- Deletes runs that ended more than p_days ago, with their steps and approvals: up to p_limit runs in the order of
-- their ids, after p_after and before p_before. Does not delete runs that are exempt from retention (keep_runs), that
-- are being replayed, or that have an open parent or child run. For `last` and concurrent workers, see purge_traces.
create or replace function run_machine.purge_runs(
  p_after text, p_before text, p_days integer, p_limit integer, out last text, out forgotten integer)
language plpgsql volatile as $$
declare
  v_looked_at text[];
  v_old text[];
begin
  select array_agg(x.id), max(x.id) into v_looked_at, last from (
    select r.id from runs r where r.id > p_after and r.id < p_before order by r.id limit p_limit) x;
  select array_agg(x.id) into v_old from (
    select r.id from runs r
     where r.id = any (v_looked_at) and r.ended_at < clock_timestamp() - p_days * interval '1 day' 
       and not r.is_kept and r.id not in (select k from run_machine.repeated_runs() k) and not run_machine.has_open_relative(r.id)
     order by r.id for update skip locked) x;
  perform run_machine.delete_runs(v_old);
  forgotten := coalesce(cardinality(v_old), 0);
end $$;

create or replace function run_machine.delete_runs(p_runs text[]) returns void
language sql volatile as $$
  delete from run_steps s where s.run_id = any (p_runs);
  delete from approvals a where a.run_id = any (p_runs);
  delete from run_callbacks c where c.run_id = any (p_runs);
  delete from turn_states t where t.run_id = any (p_runs);
  delete from turn_messages t where t.run_id = any (p_runs);
  delete from child_runs c where c.run_id = any (p_runs);
  delete from budget_reservations b where b.run_id = any (p_runs);
  delete from state_entries e where e.run_id <> '' and e.run_id = any (p_runs);
  delete from state_writes w where w.run_id = any (p_runs);
  select files.runs_deleted(p_runs);
  delete from runs r where r.id = any (p_runs);
$$;
