-- Returns the id of the step in the definition that a recorded path belongs to. The id is the last part of the path,
-- without the turns and calls of a model: `triage` for `triage.turn[2].call[1]`, and `pages` for `pages[0]`, the wait
-- between two rounds of a loop. Null if the path belongs to the model of the agent and not to a step. Ids contain no
-- brackets. stepOf in interpreter/plan.ts does the same.
create or replace function run_machine.step_of(p_path text) returns text
language sql immutable as $$
  select nullif(regexp_replace(regexp_replace(split_part(p_path, '#', 1), '(^|\.)turn\[\d+\](\.call\[\d+\])?$', ''), '^.*\.|\[\d+\]$', '', 'g'), '')
$$;
