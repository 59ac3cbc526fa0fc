-- Looks an idempotency key up: no row where it is free, else whether the request is the same (`replayed`) or another
-- one (`key_reused`), with the resource that the first request created. A key is valid for p_keep; null: whatever its
-- age.
create or replace function workspace.used_idempotency_key(
  p_workspace text, p_endpoint text, p_key text, p_fingerprint bytea, p_keep interval
) returns table (verdict text, resource_id text, created_at timestamptz)
language sql stable as $$
  select case when k.fingerprint = p_fingerprint then 'replayed' else 'key_reused' end, k.resource_id, k.created_at::timestamptz
    from idempotency_keys k
   where k.workspace_id = p_workspace and k.endpoint = p_endpoint and k.key = p_key and (p_keep is null or k.created_at > clock_timestamp() - p_keep)
$$;

-- Takes a key for a resource. A concurrent request with the same key waits until the first one has committed. No row
-- where the key was taken for p_resource, also by an earlier call with the same p_resource; else as
-- used_idempotency_key.
create or replace function workspace.claim_idempotency_key(
  p_workspace text, p_endpoint text, p_key text, p_fingerprint bytea, p_resource text, p_keep interval
) returns table (verdict text, resource_id text, created_at timestamptz)
language plpgsql volatile as $$
begin
  insert into idempotency_keys as k (workspace_id, endpoint, key, fingerprint, resource_id)
    values (p_workspace, p_endpoint, p_key, p_fingerprint, p_resource)
    on conflict on constraint idempotency_keys_pk do update
      set fingerprint = excluded.fingerprint, resource_id = excluded.resource_id, created_at = clock_timestamp()
      where k.created_at <= clock_timestamp() - p_keep or k.resource_id = p_resource;
  if found then return; end if;
  -- The first request has committed: its key is read whatever its age.
  return query select u.* from workspace.used_idempotency_key(p_workspace, p_endpoint, p_key, p_fingerprint, null) u;
end $$;
