-- Triggers: which there are, when schedules are due, and what an event that arrives becomes.
create schema if not exists triggers;
