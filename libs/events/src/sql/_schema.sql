-- Events, the deliveries that they owe to endpoints, and the two operations of a sender: claiming deliveries and
-- recording the outcome of attempts. Two ports, which a lib above installs: events.event_snapshot(events), the redacted
-- state of what an event is about, and events.has_subject(events), whether the thing that the event is about still
-- exists.
create schema if not exists events;
