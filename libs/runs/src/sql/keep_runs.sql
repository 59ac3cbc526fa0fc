-- Exempts runs from retention: they are the evidence of something that is kept. Ids that no run has are ignored.
create or replace function run_machine.keep_runs(p_runs text[]) returns void
language sql volatile as $$
  update runs r set is_kept = true where r.id = any (p_runs) and not r.is_kept
$$;
