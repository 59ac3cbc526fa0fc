-- Deletes a key. In the result, `value` states whether the key existed. For the other parameters and the verdicts, see
-- begin_state_write.
create or replace function run_machine.delete_state(
  p_workspace text, p_run text, p_attempt integer, p_path text, p_owner text, p_copy text, p_begin json, p_key text, p_if_version bigint
) returns table (verdict text, value json, version bigint, updated_at timestamptz, expires_at timestamptz)
language plpgsql volatile as $$
declare
  v_begun record;
  v_version bigint;
  v_now timestamptz := clock_timestamp();
  v_deleted json;
begin
  v_begun := run_machine.begin_state_write(p_workspace, p_run, p_attempt, p_path, p_owner, p_copy, p_key);
  if v_begun.verdict <> 'ok' then
    return query select v_begun.verdict, (v_begun.done).value, (v_begun.done).version, (v_begun.done).updated_at::timestamptz,
      (v_begun.done).expires_at::timestamptz;
    return;
  end if;
  select s.version into v_version from run_machine.live_state(p_workspace, p_owner, p_copy, p_begin) s where s.key = p_key;
  if p_if_version <> coalesce(v_version, 0) then
    return query select 'conflict', null::json, coalesce(v_version, 0), null::timestamptz, null::timestamptz;
    return;
  end if;
  if p_copy = '' then
    delete from state_entries e where e.workspace_id = p_workspace and e.owner_id = p_owner and e.run_id = '' and e.key = p_key;
  else
    insert into state_entries (owner_id, run_id, key, workspace_id, value, version, updated_at)
      values (p_owner, p_copy, p_key, p_workspace, null, 0, v_now)
      on conflict (owner_id, run_id, key) do update set value = null, version = 0, updated_at = excluded.updated_at, expires_at = null;
  end if;
  v_deleted := to_json(v_version is not null);
  insert into state_writes (run_id, path, workspace_id, value, version, updated_at) values (p_run, p_path, p_workspace, v_deleted, 0, v_now);
  return query select 'ok', v_deleted, 0::bigint, v_now, null::timestamptz;
end $$;
