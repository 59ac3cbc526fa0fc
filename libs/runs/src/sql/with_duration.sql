-- Returns the detail of a call whose outcome becomes unknown now. Adds the duration of the call so far, which the trace
-- shows as `duration_ms`. The step ends later, when the outcome is known. The time until then does not count.
create or replace function run_machine.with_duration(p_detail jsonb, p_began timestamptz) returns jsonb
language sql volatile as $$
  select coalesce(p_detail, '{}') || jsonb_build_object('duration_ms', round(extract(epoch from clock_timestamp() - p_began) * 1000))
$$;
