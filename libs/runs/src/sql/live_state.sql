-- Returns the entries of p_owner that exist now: those that are not deleted and not expired. For a run in mode test,
-- p_copy is the id of the run, and the result contains the writes of the run. For keys that the run has not written, it
-- contains the entries of the object p_begin or, if p_begin is null, the stored state. Outside mode test, p_copy is
-- empty and the result is the stored state.
create or replace function run_machine.live_state(p_workspace text, p_owner text, p_copy text, p_begin json)
returns table (key text, value json, version bigint, updated_at timestamptz, expires_at timestamptz)
language sql stable as $$
  select e.key, e.value, e.version, e.updated_at, e.expires_at
    from state_entries e
   where e.workspace_id = p_workspace and e.owner_id = p_owner and e.run_id = p_copy and e.value is not null
     and (e.expires_at is null or e.expires_at > statement_timestamp())
  union all
  select e.key, e.value, e.version, e.updated_at, e.expires_at
    from state_entries e
   where p_copy <> '' and p_begin is null and e.workspace_id = p_workspace and e.owner_id = p_owner and e.run_id = ''
     and (e.expires_at is null or e.expires_at > statement_timestamp())
     and not exists (select from state_entries w where w.owner_id = p_owner and w.run_id = p_copy and w.key = e.key)
  union all
  select b.key collate "C", b.value, 1, r.created_at, null
    from json_each(p_begin) b join runs r on r.id = p_copy and r.workspace_id = p_workspace
   where not exists (select from state_entries w where w.owner_id = p_owner and w.run_id = p_copy and w.key = b.key)
$$;

-- Returns up to p_limit entries whose keys begin with p_prefix and sort after p_after, sorted by key.
create or replace function run_machine.list_state(
  p_workspace text, p_owner text, p_copy text, p_begin json, p_prefix text, p_after text, p_limit integer
) returns table (key text, value json, version bigint, updated_at timestamptz, expires_at timestamptz)
language sql stable as $$
  select s.key, s.value, s.version, s.updated_at, s.expires_at from run_machine.live_state(p_workspace, p_owner, p_copy, p_begin) s
   where s.key > p_after collate "C" and s.key >= p_prefix collate "C" and starts_with(s.key, p_prefix)
   order by s.key limit p_limit
$$;
