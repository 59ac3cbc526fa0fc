-- Looks up an idempotency key. Returns no row if no request has used the key. Otherwise returns the resource of the
-- first request with the key, and a verdict: `replayed` if the current request equals the first one, `key_reused` if it
-- differs. A key is valid for p_keep. If p_keep is null, it is valid without a time limit.
create or replace function workspace.used_idempotency_key(
  p_workspace text, p_endpoint text, p_key text, p_fingerprint bytea, p_keep interval
) returns table (verdict text, resource_id text, created_at timestamptz)
language sql stable as $$
  select case when k.fingerprint = p_fingerprint then 'replayed' else 'key_reused' end, k.resource_id, k.created_at::timestamptz
    from idempotency_keys k
   where k.workspace_id = p_workspace and k.endpoint = p_endpoint and k.key = p_key and (p_keep is null or k.created_at > clock_timestamp() - p_keep)
$$;

-- Reserves an idempotency key for the resource of a request. A concurrent request with the same key waits until the
-- first one commits. Returns no row if the key is reserved for p_resource, now or by an earlier call. Otherwise returns
-- what used_idempotency_key returns.
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
  -- The insert above found that another request owns the key. p_keep is null here, so that the key is returned even if
  -- it has expired since the insert.
  return query select u.* from workspace.used_idempotency_key(p_workspace, p_endpoint, p_key, p_fingerprint, null) u;
end $$;
