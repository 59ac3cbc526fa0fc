-- Cancels up to p_limit pending runs of a bulk action, newest first, and returns the number of recorded results. The
-- cancellations and their results are one commit. A locked run is skipped and stays pending (see the lock order in
-- _schema.sql). If a run was already cancelled, its result is a success.
create or replace function run_machine.cancel_bulk_runs(p_bulk text, p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v_bulk bulk_actions%rowtype;
  v_run_id text;
  v runs%rowtype;
  v_code text;
  v_succeeded integer := 0;
  v_failed integer := 0;
begin
  select * into v_bulk from bulk_actions b where b.id = p_bulk;
  for v_run_id in
    select x.run_id from bulk_action_results x where x.bulk_action_id = p_bulk and x.status = 'pending'
     order by x.run_id desc limit p_limit for no key update skip locked
  loop
    select * into v from runs r where r.id = v_run_id and r.workspace_id = v_bulk.workspace_id for no key update skip locked;
    continue when not found and exists (select from runs r where r.id = v_run_id and r.workspace_id = v_bulk.workspace_id);
    v_code := case when v.id is null then 'not_found' when v.ended_at is not null and v.status <> 'cancelled' then 'run_not_cancellable' end;
    if v_code is null and v.ended_at is null then
      perform run_machine.end_cancelled(v, 'Bulk action ' || p_bulk || '.', v_bulk.actor);
    end if;
    update bulk_action_results x set status = case when v_code is null then 'succeeded' else 'failed' end, code = v_code
     where x.bulk_action_id = p_bulk and x.run_id = v_run_id;
    v_succeeded := v_succeeded + (v_code is null)::integer;
    v_failed := v_failed + (v_code is not null)::integer;
  end loop;
  perform run_machine.count_bulk_results(p_bulk, v_succeeded, v_failed);
  return v_succeeded + v_failed;
end $$;
