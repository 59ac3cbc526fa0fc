-- Formats a time as in RFC 3339, in UTC and with milliseconds.
create or replace function platform.iso_time(p_time timestamptz) returns text
language sql stable as $$
  select to_char(p_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;
