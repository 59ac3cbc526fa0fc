-- Events, their deliveries to endpoints, and the two operations of a sender: claiming deliveries and recording results.
-- Two functions are ports that libs/runs/src/sql/event_ports.sql creates: events.event_snapshot(events) returns the
-- redacted state of the subject of an event, and events.has_subject(events) whether the subject still exists.
create schema if not exists events;
