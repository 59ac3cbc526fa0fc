-- Appends an event to the audit log, in the transaction of the change that the event describes.
create or replace function workspace.audit(p_workspace text, p_actor text, p_action text, p_target text, p_detail jsonb) returns void
language sql volatile as $$
  insert into audit_events (id, workspace_id, actor, action, target, detail)
    values (platform.new_id('evt'), p_workspace, p_actor, p_action, p_target, p_detail)
$$;
