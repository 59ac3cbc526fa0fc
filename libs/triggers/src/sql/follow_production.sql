-- Makes the rows of triggers match the agent's production version. Database triggers call it in the transaction that
-- changes the version. A schedule keeps its next fire time if its cron and timezone do not change.
create or replace function triggers.follow_production(p_agent text) returns void
language plpgsql volatile as $$
begin
  delete from triggers t where t.agent_id = p_agent and not exists (
    select from triggers.declared_triggers(p_agent) d where d.id = t.id and d.type = t.type);
  insert into triggers as t (agent_id, id, workspace_id, ordinal, type, mailbox, cron, timezone, overlap, catch_up, due_at)
    select p_agent, d.id, d.workspace_id, d.ordinal, d.type, d.mailbox, d.cron, d.timezone, d.overlap, d.catch_up,
        case when d.type = 'schedule' and d.is_active then clock_timestamp() end
      from triggers.declared_triggers(p_agent) d
    on conflict on constraint triggers_pk do update set
      ordinal = excluded.ordinal, mailbox = excluded.mailbox, overlap = excluded.overlap, catch_up = excluded.catch_up,
      cron = excluded.cron, timezone = excluded.timezone,
      -- For an e-mail trigger, active_since is the time since which the trigger has had its mailbox. If several
      -- workspaces have the same mailbox, the workspace that has had the mailbox longest gets the mail.
      active_since = case when (t.cron, t.timezone, t.mailbox) is distinct from (excluded.cron, excluded.timezone, excluded.mailbox)
        then clock_timestamp() else t.active_since end,
      fire_at = case when (t.cron, t.timezone) is distinct from (excluded.cron, excluded.timezone) then null else t.fire_at end,
      due_at = case when (t.cron, t.timezone) is distinct from (excluded.cron, excluded.timezone) then excluded.due_at else t.due_at end;
  perform triggers.follow_mailbox_watches(p_agent);
  perform triggers.follow_polls(p_agent);
end $$;

-- Returns the triggers that the agent's production version declares, with the defaults of `agent/v1`.
create or replace function triggers.declared_triggers(p_agent text)
returns table (workspace_id text, is_active boolean, id text, ordinal integer, type text, mailbox text, cron text, timezone text,
  overlap text, catch_up text)
language sql stable as $$
  select a.workspace_id, a.status = 'active', d.value ->> 'id', d.ordinality::integer, d.value ->> 'type',
    lower(d.value ->> 'mailbox'), trim(d.value ->> 'cron'),
    case when d.value ->> 'type' = 'schedule' then coalesce(d.value ->> 'timezone', 'UTC') end,
    case when d.value ->> 'type' = 'schedule' then coalesce(d.value ->> 'overlap', 'skip') end,
    case when d.value ->> 'type' = 'schedule' then coalesce(d.value ->> 'catch_up', 'none') end
  from agents a
  join agent_versions v on v.agent_id = a.id and v.version = a.production_version
  cross join lateral jsonb_array_elements(coalesce(v.definition -> 'triggers', '[]')) with ordinality d
  where a.id = p_agent
$$;

-- Handles only version 1, which is in production at once. A later version is not in production when it is inserted. The
-- agent of a draft run is archived from the beginning and has no triggers.
create or replace function triggers.on_version_insert() returns trigger
language plpgsql volatile as $$
begin
  perform from agents a
   where a.id = new.agent_id and a.production_version = new.version and a.draft_until is null;
  if found then perform triggers.follow_production(new.agent_id); end if;
  return null;
end $$;

create or replace trigger agent_versions_triggers_tg after insert on agent_versions
  for each row when (new.definition ? 'triggers') execute function triggers.on_version_insert();

-- Handles promotion, pause, resume and archive. A schedule of an agent that is not active has no due_at. After the
-- agent is resumed, the fire times during the pause count as missed. catch_up decides whether the latest of them starts
-- a run.
create or replace function triggers.on_agent_change() returns trigger
language plpgsql volatile as $$
begin
  if new.production_version <> old.production_version then perform triggers.follow_production(new.id); end if;
  if new.status = 'active' and old.status <> 'active' then
    update triggers t set due_at = coalesce(t.fire_at, clock_timestamp()), active_since = clock_timestamp()
     where t.agent_id = new.id and t.type = 'schedule';
    update poll_watches p set due_at = clock_timestamp() where p.agent_id = new.id;
  elsif new.status <> 'active' then
    update triggers t set due_at = null where t.agent_id = new.id and t.due_at is not null;
    update poll_watches p set due_at = null where p.agent_id = new.id and p.due_at is not null;
  end if;
  return null;
end $$;

create or replace trigger agents_triggers_tg after update of production_version, status on agents
  for each row when (new.production_version <> old.production_version or new.status <> old.status)
  execute function triggers.on_agent_change();

-- A stop of the workspace does not change schedules and polls. During the stop, claim_polls clears due_at of due polls,
-- and fire_schedule clears due_at of due schedules. When the workspace is resumed, these polls and schedules become due
-- again.
create or replace function triggers.on_workspace_resume() returns trigger
language plpgsql volatile as $$
begin
  update triggers t set due_at = coalesce(t.fire_at, clock_timestamp()), active_since = clock_timestamp()
    from agents a
   where t.workspace_id = new.id and t.type = 'schedule' and (t.due_at is null or t.fire_at <= clock_timestamp())
     and a.id = t.agent_id and a.status = 'active';
  update poll_watches p set due_at = clock_timestamp()
    from agents a
   where p.workspace_id = new.id and p.due_at is null and a.id = p.agent_id and a.status = 'active';
  return null;
end $$;

create or replace trigger workspaces_triggers_tg after update of state on workspaces
  for each row when (old.state = 'stopped' and new.state = 'active') execute function triggers.on_workspace_resume();
