-- Exempts runs from retention, because another record refers to these runs. Ids that do not exist are ignored.
create or replace function run_machine.keep_runs(p_runs text[]) returns void
language sql volatile as $$
  update runs r set is_kept = true where r.id = any (p_runs) and not r.is_kept
$$;
