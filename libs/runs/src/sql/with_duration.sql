-- The detail of a call whose time ends now although it has no outcome: it has become doubtful. Whoever says later what became of
-- it ends the step, and the time until then is not the call's. Shown as `duration_ms` of the trace, as every member of a detail.
create or replace function run_machine.with_duration(p_detail jsonb, p_began timestamptz) returns jsonb
language sql volatile as $$
  select coalesce(p_detail, '{}') || jsonb_build_object('duration_ms', round(extract(epoch from clock_timestamp() - p_began) * 1000))
$$;
