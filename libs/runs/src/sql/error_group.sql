-- Replaces the ids and numbers of a message by `#`.
create or replace function run_machine.general_message(p_message text) returns text
language sql immutable as $$
  select regexp_replace(left(p_message, 500), '\m[a-z]{2,4}_[0-9a-z]{26}\M|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]+([.:,][0-9]+)*', '#', 'g')
$$;

-- It is written in PL/pgSQL. Each statement that writes runs would parse a SQL function anew, to try to inline it.
create or replace function run_machine.group_of_error(p_error jsonb) returns text
language plpgsql immutable as $$
declare
  v_shown constant jsonb := run_machine.shown_value(p_error);
begin
  return left(encode(sha256(convert_to(concat_ws(chr(31), v_shown ->> 'code', v_shown ->> 'step',
    run_machine.general_message(v_shown ->> 'message')), 'UTF8')), 'hex'), 16);
end $$;

-- Identifies equal errors: the same code, step and general message. A migration creates an index on the result, so
-- another result needs another function and index. Null without an error. It is not declared `strict`, because Postgres
-- would then also use the index of error codes for it. Postgres inlines this expression, so that each write of a run
-- without an error costs the index one comparison and no call.
create or replace function run_machine.error_group(p_error jsonb) returns text
language sql immutable as $$
  select case when p_error is not null then run_machine.group_of_error(p_error) end
$$;
