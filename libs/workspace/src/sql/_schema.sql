-- Functions for the stop lock, for stopping and resuming a workspace, for the audit log, and for idempotency keys.
create schema if not exists workspace;
