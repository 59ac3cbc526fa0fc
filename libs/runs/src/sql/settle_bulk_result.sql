-- Records the result of a run in a bulk action. If p_code is null, the action succeeded for this run, and p_replay is
-- the new run if the action is a replay. If p_code is not null, the action failed with this error code. Does not change
-- a result that is no longer pending.
create or replace function run_machine.settle_bulk_result(p_bulk text, p_run text, p_code text, p_replay text) returns void
language plpgsql volatile as $$
begin
  update bulk_action_results x
     set status = case when p_code is null then 'succeeded' else 'failed' end, code = p_code, replay_id = p_replay
   where x.bulk_action_id = p_bulk and x.run_id = p_run and x.status = 'pending';
  if found then
    perform run_machine.count_bulk_results(p_bulk, (p_code is null)::integer, (p_code is not null)::integer);
  end if;
end $$;

-- Adds results that the caller has recorded to the counts of their bulk action. The last result completes the bulk
-- action. Lock order: the row of the bulk action is locked last, after the results, the runs, and all rows that other
-- functions lock together with a run.
create or replace function run_machine.count_bulk_results(p_bulk text, p_succeeded integer, p_failed integer) returns void
language plpgsql volatile as $$
begin
  if p_succeeded + p_failed = 0 then return; end if;
  update bulk_actions b
     set succeeded = b.succeeded + p_succeeded, failed = b.failed + p_failed,
         status = case when b.succeeded + b.failed + p_succeeded + p_failed = b.total then 'completed' else b.status end,
         ended_at = case when b.succeeded + b.failed + p_succeeded + p_failed = b.total then clock_timestamp() end,
         due_at = case when b.succeeded + b.failed + p_succeeded + p_failed < b.total then b.due_at end
   where b.id = p_bulk;
end $$;
