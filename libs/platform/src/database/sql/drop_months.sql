-- Drops each partition of a monthly log if its month ended before p_before, and deletes all older rows. p_before is an
-- event id, and ids sort by time. Returns the names of the dropped partitions. Extends `<log>_before` to the first
-- remaining month, so that there is no gap. Returns no names if another process is changing the partitions. While the
-- function waits for a lock on the log, other sessions that use the log must wait too. It therefore waits at most 200
-- ms, and then fails without a change.
create or replace function platform.drop_months(p_log text, p_before text) returns setof text
language plpgsql volatile set lock_timeout = '200ms' as $$
declare
  v_before constant text := p_log || '_before';
  v_end text;
  v_month text;
begin
  if not platform.try_lock_months(p_log) then return; end if;
  select max(m.upper_id collate "C") into v_end from platform.months(p_log) m
   where m.lower_id is not null and m.upper_id collate "C" <= p_before;
  if v_end is null then return; end if;

  execute format('alter table %I detach partition %I', p_log, v_before);
  execute format('truncate %I', v_before);
  for v_month in select m.part from platform.months(p_log) m where m.upper_id collate "C" <= v_end loop
    execute format('drop table %I', v_month);
    return next v_month;
  end loop;
  execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', p_log, v_before, v_end);
end $$;
