-- Marks the sweep of an archived agent as finished, so that it is not repeated. The sweep cancels those runs of the
-- agent that no worker has started.
create or replace function agents.finish_sweep(p_agent text) returns void
language sql volatile as $$
  update agents a set sweep_until = null where a.id = p_agent
$$;
