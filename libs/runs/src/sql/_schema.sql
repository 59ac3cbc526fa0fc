-- The functions of the run state machine live in a schema of their own; the tables they work on are in the public one.
-- Lock order everywhere: workspace (advisory) -> run -> concurrency of its agent (advisory) -> step -> approval -> event.
-- Whoever has locked a run does not wait for another one: functions for many runs skip what is locked, and two that cannot
-- (resume_workspace, cancel_stopped_runs) keep each other out by the lock of the workspace.
-- Times are clock_timestamp(), the time of that very moment, since a statement may have waited for a lock. Where many rows are
-- searched for what is due it is statement_timestamp(): only a time that stands still can be looked up in an index.
create schema if not exists run_machine;

-- How many runs have ever ended, by status: counted by end_run, read by the metrics. Sequences, since no two ends wait for each
-- other over one, and asking costs the same however many runs there were. An end that is rolled back stays counted, and a crash of
-- Postgres may skip up to 32 numbers: good enough for rates, and never for anything that the service decides.
create sequence if not exists run_machine.ended_succeeded;
create sequence if not exists run_machine.ended_handed_off;
create sequence if not exists run_machine.ended_failed;
create sequence if not exists run_machine.ended_cancelled;
