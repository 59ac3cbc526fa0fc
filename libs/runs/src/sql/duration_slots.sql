-- Returns the slot in which a duration is counted. Because durations are counted by slot, the counts of several periods
-- can be added. Below 100 ms, a slot is one millisecond wide. From 100 ms on, a slot is 2 % wide, and slot_duration
-- returns a duration with an error of at most 1 %.
create or replace function run_machine.duration_slot(p_ms bigint) returns integer
language sql immutable as $$
  select case when p_ms < 100 then greatest(p_ms, 0)::integer else 100 + floor(ln(p_ms / 100.0::float8) / ln(1.02::float8))::integer end
$$;

create or replace function run_machine.slot_duration(p_slot integer) returns bigint
language sql immutable as $$
  select case when p_slot < 100 then p_slot else round(100 * power(1.02::float8, p_slot - 99.5))::bigint end
$$;

-- Adds two objects that contain the number of runs for each slot: {slot: number of runs}.
create or replace function run_machine.add_durations(p_one jsonb, p_other jsonb) returns jsonb
language sql immutable as $$
  select json_object_agg(x.slot, x.runs)::jsonb from (
    select e.key as slot, sum(e.value::bigint) as runs
      from (select * from jsonb_each_text(p_one) union all select * from jsonb_each_text(p_other)) e group by e.key) x
$$;

-- Returns a percentile of the durations in milliseconds (nearest rank). The share p_share (0 to 1) of the runs took no
-- longer than this duration. Returns null if there are no runs.
create or replace function run_machine.duration_percentile(p_durations jsonb, p_share double precision) returns bigint
language sql immutable as $$
  select run_machine.slot_duration(x.slot) from (
    select e.key::integer as slot, sum(e.value::bigint) over (order by e.key::integer) as up_to, sum(e.value::bigint) over () as total
      from jsonb_each_text(p_durations) e) x
   where x.up_to >= ceil(p_share * x.total) order by x.slot limit 1
$$;
