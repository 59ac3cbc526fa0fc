-- The functions of the run state machine live in a schema of their own; the tables they work on are in the public one.
-- Lock order everywhere: workspace (advisory) -> run -> concurrency of its agent (advisory) -> step -> approval -> event.
-- Whoever has locked a run does not wait for another one: functions for many runs skip what is locked, and two that cannot
-- (resume_workspace, cancel_stopped_runs) keep each other out by the lock of the workspace.
-- Times are clock_timestamp(), the time of that very moment, since a statement may have waited for a lock. Where many rows are
-- searched for what is due it is statement_timestamp(): only a time that stands still can be looked up in an index.
create schema if not exists run_machine;
