-- Deletes up to p_limit idempotency keys that are older than p_keep_ms plus one hour. Returns the number of deleted
-- keys.
create or replace function workspace.purge_idempotency_keys(p_limit integer, p_keep_ms bigint) returns integer
language plpgsql volatile as $$
declare
  v_before timestamptz := clock_timestamp() - p_keep_ms * interval '1 millisecond' - interval '1 hour';
  v_forgotten integer;
begin
  delete from idempotency_keys k using (
      select o.workspace_id, o.endpoint, o.key from idempotency_keys o where o.created_at < v_before order by o.created_at limit p_limit
        for update skip locked) old
   where k.workspace_id = old.workspace_id and k.endpoint = old.endpoint and k.key = old.key and k.created_at < v_before;
  get diagnostics v_forgotten = row_count;
  return v_forgotten;
end $$;
