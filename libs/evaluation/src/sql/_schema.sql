create schema if not exists evaluation;
