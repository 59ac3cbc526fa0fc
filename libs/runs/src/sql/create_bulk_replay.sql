-- Creates the replay of a pending run of a bulk action, and records the new run as its result in the same commit. If
-- the call is repeated, after a crash or in a second worker, it finds the recorded result and starts nothing. The
-- replay gets no head start in the queue, so runs that people and triggers start come first.
--
-- p_call     the members of a call of create_replay, and `bulk`, the id of the bulk action
--
-- verdict: created | settled (the result was already recorded, nothing was done) | a verdict of create_run that
-- prevented the replay (the result stays pending)
create or replace function run_machine.create_bulk_replay(p_call jsonb) returns text
language plpgsql volatile as $$
declare
  v_bulk text := p_call ->> 'bulk';
  v_source text := p_call ->> 'source';
  created record;
begin
  perform from bulk_action_results x
    where x.bulk_action_id = v_bulk and x.run_id = v_source and x.status = 'pending' for no key update;
  if not found then return 'settled'; end if;
  select * into created from run_machine.create_replay(p_call #- '{limits,head_start_ms}');
  if created.verdict = 'created' then perform run_machine.settle_bulk_result(v_bulk, v_source, null, created.run_id); end if;
  return created.verdict;
end $$;
