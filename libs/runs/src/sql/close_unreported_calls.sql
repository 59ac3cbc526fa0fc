-- Closes calls that were running when their run ended, and whose worker died before it reported an outcome. Without
-- this function, the trace would show these calls as running forever. Skips runs that ended less than p_grace_ms ago,
-- because a live worker aborts its calls and records their outcomes within this time. An at-most-once write becomes
-- `in_doubt`, and a late response to it is still recorded. Other calls become `cancelled`. Returns the number of closed
-- calls.
create or replace function run_machine.close_unreported_calls(p_grace_ms integer, p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v_run text;
  v_closed integer;
  v_all integer := 0;
begin
  for v_run in
    select r.id from runs r
     where r.id in (select s.run_id from run_steps s where s.state = 'started')
       and r.ended_at < clock_timestamp() - p_grace_ms * interval '1 millisecond'
     order by r.id limit p_limit for no key update skip locked
  loop
    update run_steps s
       set state = case when s.effect = 'at_most_once' then 'in_doubt' else 'cancelled' end,
           ended_at = case when s.effect = 'at_most_once' then null else clock_timestamp() end,
           detail = case when s.effect = 'at_most_once' then run_machine.with_duration(s.detail, s.started_at) else s.detail end
     where s.run_id = v_run and s.state = 'started';
    get diagnostics v_closed = row_count;
    v_all := v_all + v_closed;
  end loop;
  return v_all;
end $$;
