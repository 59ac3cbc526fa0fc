-- Called for the first poll of a trigger. Stores the keys of its items that start no run, for p_keep_ms. The same
-- commit records the fingerprint of the poll (p_remembered). Returns false if the worker has lost the poll.
create or replace function triggers.remember_poll(
  p_workspace text, p_agent text, p_trigger text, p_worker text, p_remembered text, p_keys text[], p_keep_ms bigint
) returns boolean
language plpgsql volatile as $$
declare
  v_until timestamptz := clock_timestamp() + p_keep_ms * interval '1 millisecond';
begin
  update poll_watches p set remembered = p_remembered
   where p.workspace_id = p_workspace and p.agent_id = p_agent and p.trigger_id = p_trigger and p.worker = p_worker;
  if not found then return false; end if;
  insert into trigger_receipts as r (agent_id, key, workspace_id, expires_at)
    select p_agent, k.key, p_workspace, v_until from unnest(p_keys) k(key) order by k.key
    on conflict on constraint trigger_receipts_pk do update set expires_at = excluded.expires_at;
  return true;
end $$;

-- Returns those of p_keys that no earlier poll returned. Keeps the rest of p_keys stored for another p_keep_ms. This
-- time is extended at most once a day, so that most polls write nothing.
create or replace function triggers.unseen_keys(p_workspace text, p_agent text, p_keys text[], p_keep_ms bigint)
returns table (key text)
language plpgsql volatile as $$
declare
  v_now timestamptz := clock_timestamp();
  v_until timestamptz := v_now + p_keep_ms * interval '1 millisecond';
begin
  update trigger_receipts r set expires_at = v_until
    from (select o.key from trigger_receipts o
           where o.workspace_id = p_workspace and o.agent_id = p_agent and o.key = any (p_keys)
             and o.expires_at > v_now and o.expires_at < v_until - interval '1 day'
           order by o.key for no key update) seen
   where r.agent_id = p_agent and r.key = seen.key;
  return query
    select k.key from unnest(p_keys) k(key)
     where not exists (select from trigger_receipts r
       where r.workspace_id = p_workspace and r.agent_id = p_agent and r.key = k.key and r.expires_at > v_now);
end $$;
