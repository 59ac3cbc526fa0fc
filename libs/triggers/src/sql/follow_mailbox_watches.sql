-- Makes mailbox_watches match the IMAP folders that the agent's production version declares. If the account of a watch
-- changes, the cursor is reset and the worker loses the lease.
create or replace function triggers.follow_mailbox_watches(p_agent text) returns void
language sql volatile as $$
  with declared as (
    select a.workspace_id, d.value ->> 'id' as id, d.value -> 'imap' as account
      from agents a
      join agent_versions v on v.agent_id = a.id and v.version = a.production_version
      cross join lateral jsonb_array_elements(coalesce(v.definition -> 'triggers', '[]')) d
     where a.id = p_agent and d.value ->> 'type' = 'email.received' and d.value ? 'imap'
  ), gone as (
    delete from mailbox_watches w where w.agent_id = p_agent and not exists (select from declared d where d.id = w.trigger_id)
  )
  insert into mailbox_watches as w (agent_id, trigger_id, workspace_id, account)
    select p_agent, d.id, d.workspace_id, d.account from declared d
    on conflict on constraint mailbox_watches_pk do update set
      account = excluded.account, uid_validity = null, last_uid = null, since = clock_timestamp(), due_at = clock_timestamp(),
      worker = null, lease_until = null, failures = 0, error = null
      where w.account is distinct from excluded.account
$$;
