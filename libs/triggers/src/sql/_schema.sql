-- Triggers of production versions, due schedules, and decisions about events.
create schema if not exists triggers;
