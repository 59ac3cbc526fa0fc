-- Returns the detail of a call whose outcome becomes unknown now, with the duration of the call so far. The step ends
-- later, when the outcome is known, and the time until then is not part of the duration. The trace shows it as
-- `duration_ms`.
create or replace function run_machine.with_duration(p_detail jsonb, p_began timestamptz) returns jsonb
language sql volatile as $$
  select coalesce(p_detail, '{}') || jsonb_build_object('duration_ms', round(extract(epoch from clock_timestamp() - p_began) * 1000))
$$;
