-- Returns the partitions of a monthly log in order, with the range of their ids: lower_id <= id < upper_id. A monthly
-- log is a table that is partitioned by its ids, which begin with their time.
--   <log>_before   rows from before the first month; lower_id is null
--   <log>_2026_03  rows of that month (UTC)
--   <log>_later    rows of months that have no partition yet; upper_id is null
-- There is no gap, so each row has a partition. There is no default partition. With a default partition, Postgres could
-- not tell that the partitions are sorted by id, and would read all of them for each page of a list.
create or replace function platform.months(p_log text) returns table (part text, lower_id text, upper_id text)
language sql stable as $$
  select p.part, p.lower_id, p.upper_id from (
      select c.relname::text as part, substring(b.bound from 'FROM \(''([^'']+)''\)') as lower_id,
          substring(b.bound from 'TO \(''([^'']+)''\)') as upper_id
        from pg_inherits i join pg_class c on c.oid = i.inhrelid cross join lateral pg_get_expr(c.relpartbound, c.oid) b (bound)
       where i.inhparent = p_log::regclass) p
   order by p.lower_id collate "C" nulls first
$$;

-- Takes the lock for changing the partitions of a log, and holds it until the end of the transaction. Returns false if
-- another process has the lock.
create or replace function platform.try_lock_months(p_log text) returns boolean
language sql volatile as $$
  select pg_try_advisory_xact_lock(hashtextextended('months:' || p_log, 0))
$$;
