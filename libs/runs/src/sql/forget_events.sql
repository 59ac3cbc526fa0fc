-- Forgets events whose run is gone and whose message is, up to p_limit looked at, behind p_after and before p_before (event ids
-- sort by time). last: forget_traces.
create or replace function run_machine.forget_events(
  p_after text, p_before text, p_limit integer, out last text, out forgotten integer)
language plpgsql volatile as $$
declare
  v_looked_at text[];
begin
  select array_agg(x.id), max(x.id) into v_looked_at, last from (
    select e.id from events e where e.id > p_after and e.id < p_before order by e.id limit p_limit) x;
  delete from events e where e.id = any (v_looked_at)
    and not exists (select from runs r where r.id = e.run_id)
    and not exists (select from webhook_messages m where m.event_id = e.id);
  get diagnostics forgotten = row_count;
end $$;
