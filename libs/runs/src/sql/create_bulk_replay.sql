-- Creates the replay of a pending run of a bulk action, and records the new run as its result in the same commit. If
-- the call is repeated, after a crash or in a second worker, it finds the recorded result and starts nothing. The
-- replay gets no head start in the queue, so runs that people and triggers start come first.
--
-- verdict: created | settled (the result was already recorded, nothing was done) | a verdict of create_run that
-- prevented the replay (the result stays pending)
create or replace function run_machine.create_bulk_replay(
  p_run text, p_workspace text, p_agent text, p_version integer, p_pinned boolean, p_mode text,
  p_trigger jsonb, p_input jsonb, p_labels jsonb, p_initiator text, p_currency text,
  p_endpoint text, p_key text, p_fingerprint bytea, p_limits jsonb,
  p_source text, p_before integer, p_approvals boolean, p_bulk text
) returns text
language plpgsql volatile as $$
declare
  created record;
begin
  perform from bulk_action_results x
    where x.bulk_action_id = p_bulk and x.run_id = p_source and x.status = 'pending' for no key update;
  if not found then return 'settled'; end if;
  select * into created from run_machine.create_replay(p_run, p_workspace, p_agent, p_version, p_pinned, p_mode, p_trigger, p_input,
    p_labels, p_initiator, p_currency, p_endpoint, p_key, p_fingerprint, p_limits - 'head_start_ms', p_source, p_before, p_approvals);
  if created.verdict = 'created' then perform run_machine.settle_bulk_result(p_bulk, p_source, null, created.run_id); end if;
  return created.verdict;
end $$;
