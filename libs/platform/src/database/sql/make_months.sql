-- Creates the missing partitions of a monthly log for the month of p_now and for the p_ahead months after it. Returns
-- their names. Returns no names if another process is changing the partitions.
-- For each missing month, `<log>_later` is renamed and becomes the partition of that month. Its rows of later months
-- (usually none) move to a new `<log>_later`. If the function was not called for several months, all rows of these
-- months stay in one partition, which ends with the current month.
-- While the function waits for a lock on the log, other sessions that use the log must wait too. It therefore waits at
-- most 200 ms, and then fails without a change.
create or replace function platform.make_months(p_log text, p_now timestamptz, p_ahead integer) returns setof text
language plpgsql volatile set timezone = 'UTC' set lock_timeout = '200ms' as $$
declare
  v_later constant text := p_log || '_later';
  v_lower text;
  v_upper text;
  v_begin timestamptz;
  v_month text;
  v_index text;
begin
  if not platform.try_lock_months(p_log) then return; end if;
  loop
    select m.lower_id into strict v_lower from platform.months(p_log) m where m.part = v_later and m.upper_id is null;
    v_begin := platform.id_time(v_lower);
    exit when v_begin > date_trunc('month', p_now) + p_ahead * interval '1 month';
    v_upper := platform.lowest_id('evt', greatest(v_begin, date_trunc('month', p_now)) + interval '1 month');
    v_month := p_log || to_char(v_begin, '_YYYY_MM');

    execute format('alter table %I detach partition %I', p_log, v_later);
    execute format('alter table %I rename to %I', v_later, v_month);
    for v_index in select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = v_month::regclass loop
      execute format('alter index %I rename to %I', v_index, replace(v_index, v_later, v_month));
    end loop;
    execute format('create table %I partition of %I for values from (%L) to (maxvalue)', v_later, p_log, v_upper);
    perform platform.copy_access(p_log, v_later);
    execute format('with late as (delete from %I where id >= %L returning *) insert into %I select * from late',
      v_month, v_upper, v_later);
    execute format('alter table %I attach partition %I for values from (%L) to (%L)', p_log, v_month, v_lower, v_upper);
    return next v_month;
  end loop;
end $$;

-- Copies the grants and row-level security policies of one table to another. A query that names a partition directly
-- then returns no more rows than a query of its log.
create or replace function platform.copy_access(p_model text, p_table text) returns void
language plpgsql volatile as $$
declare
  v record;
begin
  for v in
    select case when a.grantee = 0 then 'public' else quote_ident(pg_get_userbyid(a.grantee)) end as grantee, a.privilege_type
      from pg_class c cross join lateral aclexplode(c.relacl) a where c.oid = p_model::regclass and a.grantee <> c.relowner
  loop
    execute format('grant %s on %I to %s', v.privilege_type, p_table, v.grantee);
  end loop;
  for v in select * from pg_policies p where p.schemaname = 'public' and p.tablename = p_model loop
    execute format('create policy %I on %I as %s for %s to %s using (%s) with check (%s)', v.policyname, p_table, v.permissive,
      v.cmd, (select string_agg(quote_ident(r), ', ') from unnest(v.roles) r), v.qual, v.with_check);
  end loop;
  if (select c.relrowsecurity from pg_class c where c.oid = p_model::regclass) then
    execute format('alter table %I enable row level security', p_table);
  end if;
end $$;
