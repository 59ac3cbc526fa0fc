-- The functions of the run state machine live in their own schema; their tables live in the public schema. Lock order
-- everywhere: workspace (advisory) -> run -> concurrency of its agent (advisory) -> step -> approval -> event. A
-- function that has locked a run does not wait for another run: functions for many runs skip locked rows. Two
-- functions cannot skip (resume_workspace, cancel_stopped_runs); the lock of the workspace excludes one from the
-- other. Times are clock_timestamp(), because a statement may have waited for a lock. Searches for due rows use
-- statement_timestamp(), because an index can only be searched for a time that does not change during the statement.
create schema if not exists run_machine;

-- Number of runs that have ever ended, by status: counted by end_run, read by the metrics. They are sequences, because
-- concurrent ends do not wait for each other and a read costs the same for any number of runs. A rolled-back end stays
-- counted, and a crash of Postgres may skip up to 32 numbers: this is exact enough for rates, and no decision of the
-- service uses it.
create sequence if not exists run_machine.ended_succeeded;
create sequence if not exists run_machine.ended_handed_off;
create sequence if not exists run_machine.ended_failed;
create sequence if not exists run_machine.ended_cancelled;
