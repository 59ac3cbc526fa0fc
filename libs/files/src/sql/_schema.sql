-- References of runs to files. The run state machine calls these functions in the transactions that write what refers to
-- a file. They lock files in the order of their ids, after all other locks of the run.
create schema if not exists files;
