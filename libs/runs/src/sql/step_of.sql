-- Returns the id of the step in the definition to which a recorded path belongs. The id is the last part of the path,
-- without the turns and calls of a model: `triage` for `triage.turn[2].call[1]`, and `pages` for `pages[0]`, the wait
-- between two rounds of a loop. Returns null if the path belongs to the model of an agent without steps. Step ids
-- contain no brackets. stepOf in interpreter/plan.ts implements the same function.
create or replace function run_machine.step_of(p_path text) returns text
language sql immutable as $$
  select nullif(regexp_replace(regexp_replace(split_part(p_path, '#', 1), '(^|\.)turn\[\d+\](\.call\[\d+\])?$', ''), '^.*\.|\[\d+\]$', '', 'g'), '')
$$;
