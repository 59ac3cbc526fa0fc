-- Starting the runs of an evaluation's trials.
create schema if not exists evaluation;
