-- Sets the value of a key. If p_ttl_ms is null, the entry does not expire. If p_if_version is not null, the entry must
-- have this version; 0 means that the key must not exist. The result contains no value, because the caller has it. For
-- the other parameters and the verdicts, see begin_state_write.
create or replace function run_machine.put_state(
  p_workspace text, p_run text, p_attempt integer, p_path text, p_owner text, p_copy text, p_begin json, p_key text,
  p_most_keys integer, p_value json, p_ttl_ms bigint, p_if_version bigint
) returns table (verdict text, value json, version bigint, updated_at timestamptz, expires_at timestamptz)
language plpgsql volatile as $$
declare
  v_begun record;
  v_version bigint;
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
  return query select * from run_machine.store_state(p_workspace, p_run, p_path, p_owner, p_copy, p_begin, p_key, p_value,
    coalesce(v_version, 0) + 1, clock_timestamp() + p_ttl_ms * interval '1 millisecond', v_version is null, p_most_keys, null);
end $$;
