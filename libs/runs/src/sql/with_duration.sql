-- The detail of a call that becomes doubtful now, with its duration so far. The step ends later, when its outcome is
-- known, and the time until then does not belong to the call. Shown as `duration_ms` in the trace.
create or replace function run_machine.with_duration(p_detail jsonb, p_began timestamptz) returns jsonb
language sql volatile as $$
  select coalesce(p_detail, '{}') || jsonb_build_object('duration_ms', round(extract(epoch from clock_timestamp() - p_began) * 1000))
$$;
