-- Cancels the statements of these sessions. If p_terminate is true, ends the sessions instead, because a session that
-- is idle in a transaction has no statement to cancel. The workers repeat the cancelled writes. Skips sessions of roles
-- that the current role may not signal.
create or replace function platform.end_blockers(p_pids integer[], p_terminate boolean) returns void
language plpgsql volatile as $$
declare
  v_pid integer;
begin
  foreach v_pid in array p_pids loop
    begin
      perform case when p_terminate then pg_terminate_backend(v_pid) else pg_cancel_backend(v_pid) end;
    exception when insufficient_privilege then
      raise warning 'the role % may not end the session %', current_user, v_pid;
    end;
  end loop;
end $$;

-- Returns the sessions that hold this advisory lock in shared mode.
create or replace function platform.sharers_of(p_lock bigint) returns integer[]
language sql volatile as $$
  select array(
    select l.pid from pg_locks l
     where l.locktype = 'advisory' and l.mode = 'ShareLock' and l.granted and l.pid <> pg_backend_pid() and l.objsubid = 1
       and l.database = (select d.oid from pg_database d where d.datname = current_database())
       and l.classid::bigint = (p_lock >> 32) & 4294967295 and l.objid::bigint = p_lock & 4294967295)
$$;

-- Returns the sessions whose transactions have locked or changed the row with this xmax. If several transactions have,
-- xmax is the id of a multixact. Postgres does not show which of the two an xmax is, so an xmax that is the id of no
-- running transaction is read as a multixact.
create or replace function platform.lockers_of(p_xmax xid) returns integer[]
language plpgsql volatile as $$
declare
  v_pids integer[];
begin
  v_pids := array(
    select l.pid from pg_locks l
     where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.pid <> pg_backend_pid() and l.transactionid = p_xmax);
  if v_pids = '{}' then
    v_pids := array(
      select l.pid from pg_get_multixact_members(p_xmax) m join pg_locks l on l.transactionid = m.xid
       where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.pid <> pg_backend_pid() and m.mode <> 'keysh');
  end if;
  return v_pids;
exception when internal_error then
  -- The xmax is no multixact.
  return '{}';
end $$;
