-- Takes a run from a worker whose lease is over. Reads and idempotent writes that were under way get another try; a write
-- that must not happen twice may have happened, so the run ends as `in_doubt` and nobody repeats it.
-- A run that lost p_max_recoveries workers in a row is failed: it may be what kills them.
-- verdict: requeued | failed | noop
create or replace function run_machine.recover(p_run text, p_max_recoveries integer)
returns table (verdict text)
language plpgsql volatile as $$
declare
  v runs%rowtype;
  v_in_doubt text;
begin
  select * into v from runs r
   where r.id = p_run and r.status = 'running'
     and not exists (select from workers k where k.id = r.worker_id and k.lease_until > clock_timestamp())
   for no key update skip locked;
  if not found then
    return query select 'noop';
    return;
  end if;
  update run_steps s set state = 'interrupted', ended_at = clock_timestamp()
   where s.run_id = p_run and s.state = 'started' and s.effect in ('read', 'idempotent');
  update run_steps s set state = 'in_doubt' where s.run_id = p_run and s.state = 'started' returning s.path into v_in_doubt;
  if v_in_doubt is not null then
    perform run_machine.end_run(p_run, 'failed', null, jsonb_build_object('code', 'in_doubt', 'step', v_in_doubt,
      'message', 'The worker was lost during a write that must not be repeated; whether it happened is unknown.'));
    return query select 'failed';
  elsif v.recoveries >= p_max_recoveries then
    perform run_machine.end_run(p_run, 'failed', null, jsonb_build_object('code', 'worker_lost', 'step', null,
      'message', format('The run lost its worker %s times.', v.recoveries + 1)));
    return query select 'failed';
  else
    update runs r set recoveries = r.recoveries + 1 where r.id = p_run;
    perform run_machine.requeue(p_run, clock_timestamp());
    return query select 'requeued';
  end if;
end $$;
