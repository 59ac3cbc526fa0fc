-- Returns the lowest id that libs/kernel can create at p_at: the time as ten base32 digits, followed by zeros.
create or replace function platform.lowest_id(p_prefix text, p_at timestamptz) returns text
language sql immutable as $$
  select p_prefix || '_' || string_agg(
      substr('0123456789abcdefghjkmnpqrstvwxyz', ((t.millis >> (45 - 5 * digit)) & 31)::integer + 1, 1), '' order by digit)
    || repeat('0', 16)
  from (select floor(extract(epoch from p_at) * 1000)::bigint as millis) t cross join generate_series(0, 9) digit
$$;

-- Returns the time in an id, to the millisecond. The inverse of lowest_id.
create or replace function platform.id_time(p_id text) returns timestamptz
language sql immutable as $$
  select to_timestamp(sum((strpos('0123456789abcdefghjkmnpqrstvwxyz', substr(split_part(p_id, '_', 2), digit + 1, 1)) - 1)::bigint
      << (45 - 5 * digit)) / 1000.0)
  from generate_series(0, 9) digit
$$;
