-- The stop lock, stopping and resuming a workspace, the audit log and the keys of idempotent requests.
create schema if not exists workspace;
