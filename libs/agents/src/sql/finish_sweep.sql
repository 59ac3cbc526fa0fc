-- Ends the sweep of an archived agent that has no runs left to cancel.
create or replace function agents.finish_sweep(p_agent text) returns void
language sql volatile as $$
  update agents a set sweep_until = null where a.id = p_agent
$$;
