-- Schema of the functions with which other libs change agents.
create schema if not exists agents;
