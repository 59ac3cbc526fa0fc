-- The id of the step in the definition that a recorded path belongs to: its last part, without the turns and calls of
-- a model (`triage.turn[2].call[1]` is `triage`). Null if the model was asked by the agent and not by a step. Ids
-- contain no brackets. The counterpart of stepOf in interpreter/plan.ts.
create or replace function run_machine.step_of(p_path text) returns text
language sql immutable as $$
  select nullif(regexp_replace(regexp_replace(split_part(p_path, '#', 1), '(^|\.)turn\[\d+\](\.call\[\d+\])?$', ''), '^.*\.', ''), '')
$$;
