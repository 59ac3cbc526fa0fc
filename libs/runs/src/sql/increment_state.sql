-- Adds p_by to the number of a key. A key that does not exist counts as 0. If p_ttl_ms is null, the entry keeps its
-- expiry time. For the other parameters and the verdicts, see begin_state_write.
create or replace function run_machine.increment_state(
  p_workspace text, p_run text, p_attempt integer, p_path text, p_owner text, p_copy text, p_begin json, p_key text,
  p_most_keys integer, p_by double precision, p_ttl_ms bigint
) returns table (verdict text, value json, version bigint, updated_at timestamptz, expires_at timestamptz)
language plpgsql volatile as $$
declare
  v_begun record;
  v_old record;
  v_was double precision := 0;
  v_new json;
begin
  v_begun := run_machine.begin_state_write(p_workspace, p_run, p_attempt, p_path, p_owner, p_copy, p_key);
  if v_begun.verdict <> 'ok' then
    return query select v_begun.verdict, (v_begun.done).value, (v_begun.done).version, (v_begun.done).updated_at::timestamptz,
      (v_begun.done).expires_at::timestamptz;
    return;
  end if;
  select s.value, s.version, s.expires_at into v_old from run_machine.live_state(p_workspace, p_owner, p_copy, p_begin) s where s.key = p_key;
  if v_old.version is not null then
    if json_typeof(v_old.value) = 'number' then v_was := (v_old.value #>> '{}')::double precision; else v_was := null; end if;
  end if;
  -- The sum of two doubles can exceed the largest double. Postgres rejects this with an error.
  if v_was is null or abs(v_was::numeric + p_by::numeric) > 1.7976931348623157e308 then
    return query select 'no_number', null::json, 0::bigint, null::timestamptz, null::timestamptz;
    return;
  end if;
  v_new := to_json(v_was + p_by);
  return query select * from run_machine.store_state(p_workspace, p_run, p_path, p_owner, p_copy, p_begin, p_key, v_new,
    coalesce(v_old.version, 0) + 1,
    case when p_ttl_ms is null then v_old.expires_at else clock_timestamp() + p_ttl_ms * interval '1 millisecond' end,
    v_old.version is null, p_most_keys, v_new);
end $$;
