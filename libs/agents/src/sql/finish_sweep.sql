-- Nothing of the archived agent is left to cancel, so that no worker looks for it again.
create or replace function agents.finish_sweep(p_agent text) returns void
language sql volatile as $$
  update agents a set sweep_until = null where a.id = p_agent
$$;
