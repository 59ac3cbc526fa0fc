-- Ends the search for runs of an archived agent. Called after all runs that no worker has started are cancelled.
create or replace function agents.finish_sweep(p_agent text) returns void
language sql volatile as $$
  update agents a set sweep_until = null where a.id = p_agent
$$;
