-- Deletes what MCP clients no longer need, up to p_limit rows of each kind: requests and tokens that have expired, keys
-- of kind mcp that ended more than a day ago, and clients that registered themselves more than 30 days ago and have no
-- token. Returns the number of deleted rows. A used refresh token stays until it expires, so that a second use ends the
-- key.
create or replace function workspace.purge_mcp_access(p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v_purged integer := 0;
  v_rows integer;
begin
  delete from mcp_requests r using (
      select o.id from mcp_requests o where o.expires_at < clock_timestamp() order by o.expires_at limit p_limit
        for update skip locked) old
   where r.id = old.id;
  get diagnostics v_rows = row_count;
  v_purged := v_purged + v_rows;
  delete from mcp_tokens t using (
      select o.id from mcp_tokens o where o.expires_at < clock_timestamp() order by o.expires_at limit p_limit
        for update skip locked) old
   where t.id = old.id;
  get diagnostics v_rows = row_count;
  v_purged := v_purged + v_rows;
  delete from api_keys k using (
      select o.workspace_id, o.id from api_keys o
       where o.kind = 'mcp' and least(o.expires_at, o.revoked_at) < clock_timestamp() - interval '1 day'
       order by o.expires_at limit p_limit
        for update skip locked) old
   where k.workspace_id = old.workspace_id and k.id = old.id;
  get diagnostics v_rows = row_count;
  v_purged := v_purged + v_rows;
  delete from mcp_clients c using (
      select o.id from mcp_clients o
       where o.workspace_id is null and o.created_at < clock_timestamp() - interval '30 days'
         and not exists (select from mcp_tokens t where t.client_id = o.id)
       order by o.id limit p_limit
        for update skip locked) old
   where c.id = old.id;
  get diagnostics v_rows = row_count;
  return v_purged + v_rows;
end $$;
