-- The id of the step in the definition that a recorded path belongs to: its last part, without what a model did there
-- (`triage.turn[2].call[1]` is `triage`). Null where no step has asked the model. Ids hold no brackets. The same as step-of.ts.
create or replace function run_machine.step_of(p_path text) returns text
language sql immutable as $$
  select nullif(regexp_replace(regexp_replace(split_part(p_path, '#', 1), '(^|\.)turn\[\d+\](\.call\[\d+\])?$', ''), '^.*\.', ''), '')
$$;
