-- Functions by which other libs change agents.
create schema if not exists agents;
