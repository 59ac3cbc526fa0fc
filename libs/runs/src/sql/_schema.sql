-- This schema contains the functions of the run state machine. Their tables are in the schema `public`.
--
-- All functions take locks in this order: workspace (advisory), run, concurrency of the agent (advisory), step,
-- approval, event, file. A function that has locked a run does not wait for the lock of another run, so functions for several
-- runs skip locked rows. Only resume_workspace and cancel_stopped_runs do not skip rows. The lock of the workspace
-- prevents them from running at the same time.
--
-- Functions record clock_timestamp(), because a statement may have waited for a lock. Searches for due rows use
-- statement_timestamp(), because Postgres can use an index only for a time that does not change during the statement.
create schema if not exists run_machine;

-- Sequences that count the ended runs by status, for metrics. Concurrent increments of a sequence do not wait for each
-- other, and the cost of a read does not depend on the number of runs. If the transaction that ends a run is rolled
-- back, the run stays counted. A crash of Postgres may skip up to 32 numbers. This is exact enough for rates, and no
-- decision of the service depends on it.
create sequence if not exists run_machine.ended_succeeded;
create sequence if not exists run_machine.ended_handed_off;
create sequence if not exists run_machine.ended_failed;
create sequence if not exists run_machine.ended_cancelled;
