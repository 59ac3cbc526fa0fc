-- Takes a run from a worker whose lease has expired. Running reads and idempotent writes get another attempt. A running
-- at-most-once write may have had its effect, so it becomes in doubt. The next owner of the run reconciles this write
-- or asks a person.
--
-- A run that loses more than p_max_recoveries workers fails, because the run probably causes the crashes. After the
-- first loss, the run is due immediately. After each later loss, it is due at a random time in the next 2, 4, 8, ...
-- seconds.
-- The delay separates the runs of the lost worker. Otherwise, another worker would claim them together and crash too.
-- verdict: requeued | failed | noop
create or replace function run_machine.recover(p_run text, p_max_recoveries integer)
returns table (verdict text)
language plpgsql volatile as $$
declare
  v runs%rowtype;
  v_error jsonb;
begin
  select * into v from runs r
   where r.id = p_run and r.status = 'running'
     and not exists (select from workers k where k.id = r.worker_id and k.lease_until > clock_timestamp())
   for no key update skip locked;
  if not found then
    return query select 'noop';
    return;
  end if;
  update run_steps s
     set state = case when s.effect = 'at_most_once' then 'in_doubt' else 'interrupted' end,
         ended_at = case when s.effect = 'at_most_once' then null else clock_timestamp() end,
         detail = case when s.effect = 'at_most_once' then run_machine.with_duration(s.detail, s.started_at) else s.detail end
   where s.run_id = p_run and s.state = 'started';
  if v.recoveries >= p_max_recoveries then
    v_error := jsonb_build_object('code', 'worker_lost', 'step', null,
      'message', format('The run lost its worker %s times.', v.recoveries + 1));
    perform run_machine.end_run(v, null, run_machine.ending_note('error', 'failed', '', v_error), 'failed', null, v_error);
    return query select 'failed';
  else
    perform run_machine.requeue_or_suspend(p_run, exists (select from workspaces w where w.id = v.workspace_id and w.state = 'active'));
    -- A suspended run stays suspended, because its wake time `infinity` does not change when seconds are added.
    update runs r
       set recoveries = r.recoveries + 1,
           wake_at = r.wake_at + case v.recoveries when 0 then 0 else random() * 2 ^ v.recoveries end * interval '1 second'
     where r.id = p_run;
    return query select 'requeued';
  end if;
end $$;
