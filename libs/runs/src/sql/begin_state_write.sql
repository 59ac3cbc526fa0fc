-- These parameters and verdicts are common to all functions that write the state of p_owner for a call of a run.
-- p_attempt is the fencing token of the run, and p_path is the path of the call. Each write commits together with its
-- row in state_writes. A repeated call returns the recorded result and changes nothing. For p_copy and p_begin, see
-- live_state.
--
-- verdict: ok
--          repeated   the result is that of the earlier write
--          fenced     nothing was written: the run no longer belongs to the caller, or the workspace is stopped
--          conflict   the entry has a different version than the caller expects; its version is returned
--          full       the owner already has p_most_keys keys
--          no_number  the value cannot be incremented

-- Locks the key, so that writes of the same key do not overlap. If this call has already written, returns the result of
-- its earlier write in `done`. Lock order: stop, run, key, owner.
create or replace function run_machine.begin_state_write(
  p_workspace text, p_run text, p_attempt integer, p_path text, p_owner text, p_copy text, p_key text, out verdict text, out done state_writes)
language plpgsql volatile as $$
declare
  v_stop record;
begin
  v_stop := workspace.stop_lock(p_workspace);
  perform from runs r where r.id = p_run and r.workspace_id = p_workspace and r.status = 'running' and r.attempt = p_attempt for no key update;
  if not found or v_stop.state <> 'active' then
    verdict := 'fenced';
    return;
  end if;
  select * into done from state_writes w where w.run_id = p_run and w.path = p_path;
  if found then
    verdict := 'repeated';
    return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('state:' || p_owner || ':' || p_copy || ':' || p_key, 0));
  verdict := 'ok';
end $$;

-- Stores an entry and the result of the write. p_is_new: the key does not exist yet, so p_most_keys limits the write.
-- p_kept_value: the value that this call and its repetitions return.
create or replace function run_machine.store_state(
  p_workspace text, p_run text, p_path text, p_owner text, p_copy text, p_begin json, p_key text,
  p_value json, p_version bigint, p_expires_at timestamptz, p_is_new boolean, p_most_keys integer, p_kept_value json
) returns table (verdict text, value json, version bigint, updated_at timestamptz, expires_at timestamptz)
language plpgsql volatile as $$
declare
  v_now timestamptz(3) := clock_timestamp();
  v_expires_at timestamptz(3) := p_expires_at;
begin
  if p_is_new then
    perform pg_advisory_xact_lock(hashtextextended('state:' || p_owner || ':' || p_copy, 0));
    if (select count(*) from run_machine.live_state(p_workspace, p_owner, p_copy, p_begin)) >= p_most_keys then
      return query select 'full', null::json, 0::bigint, null::timestamptz, null::timestamptz;
      return;
    end if;
  end if;
  insert into state_entries (owner_id, run_id, key, workspace_id, value, version, updated_at, expires_at)
    values (p_owner, p_copy, p_key, p_workspace, p_value, p_version, v_now, v_expires_at)
    on conflict (owner_id, run_id, key) do update
      set value = excluded.value, version = excluded.version, updated_at = excluded.updated_at, expires_at = excluded.expires_at;
  insert into state_writes (run_id, path, workspace_id, value, version, updated_at, expires_at)
    values (p_run, p_path, p_workspace, p_kept_value, p_version, v_now, v_expires_at);
  return query select 'ok', p_kept_value, p_version, v_now::timestamptz, v_expires_at::timestamptz;
end $$;
