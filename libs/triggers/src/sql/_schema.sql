-- Triggers of production versions, due schedules, and outcomes of events.
create schema if not exists triggers;
