-- Creates the first two partitions of a new monthly log (see months.sql). `<log>_before` contains the rows from before
-- the current month (UTC), and `<log>_later` contains all later rows. The migration that creates the table calls this
-- function, so that each row has a partition from the start.
create or replace function platform.begin_months(p_log text) returns void
language plpgsql volatile set timezone = 'UTC' as $$
declare
  v_first constant text := platform.lowest_id('evt', date_trunc('month', clock_timestamp()));
begin
  execute format('create table %I partition of %I for values from (minvalue) to (%L)', p_log || '_before', p_log, v_first);
  execute format('create table %I partition of %I for values from (%L) to (maxvalue)', p_log || '_later', p_log, v_first);
end $$;
