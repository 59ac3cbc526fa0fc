-- The functions of the run state machine live in a schema of their own; the tables they work on are in the public one.
-- Lock order everywhere: workspace (advisory) -> run -> step -> approval -> event. No function locks two runs.
create schema if not exists run_machine;
