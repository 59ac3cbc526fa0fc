-- Schema for the SQL functions of evaluations.
create schema if not exists evaluation;
