-- Whether the time of a file is over. p_days: days for which it is kept after the end of the last run that refers to it.
-- 0 means for ever.
create or replace function files.is_over(p_expires_at timestamptz, p_used_until timestamptz, p_days integer) returns boolean
language sql stable as $$
  select coalesce(p_expires_at <= clock_timestamp(), p_used_until is not null)
    and (p_used_until is null or (p_days > 0 and p_used_until <= clock_timestamp() - p_days * interval '1 day'))
$$;
