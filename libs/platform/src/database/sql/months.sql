-- The partitions of a log that is kept in months, in their order; the ids in each are not below lower_id, and below upper_id.
-- `<log>_before`, what is older than the months (lower_id null); `<log>_2026_03`, what begins with that month, in UTC; `<log>_later`,
-- what no month is made for yet (upper_id null). There is no gap between them, so a place for every line; and no default
-- partition: with one, Postgres would not know that they are in the order of the lists, and open all of them for each page.
create or replace function platform.months(p_log text) returns table (part text, lower_id text, upper_id text)
language sql stable as $$
  select p.part, p.lower_id, p.upper_id from (
      select c.relname::text as part, substring(b.bound from 'FROM \(''([^'']+)''\)') as lower_id,
          substring(b.bound from 'TO \(''([^'']+)''\)') as upper_id
        from pg_inherits i join pg_class c on c.oid = i.inhrelid cross join lateral pg_get_expr(c.relpartbound, c.oid) b (bound)
       where i.inhparent = p_log::regclass) p
   order by p.lower_id collate "C" nulls first
$$;

-- One process at a time changes the months of a log; whoever comes meanwhile leaves it alone. Until the end of the transaction.
create or replace function platform.keeps_months(p_log text) returns boolean
language sql volatile as $$
  select pg_try_advisory_xact_lock(hashtextextended('months:' || p_log, 0))
$$;
