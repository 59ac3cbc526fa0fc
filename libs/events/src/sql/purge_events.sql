-- Purges events whose subject and message no longer exist. Examines up to p_limit events with ids between p_after and
-- p_before; ids sort by time. Sets last to the id of the last examined event, from which the next call continues. If
-- there were no more events, last is null.
create or replace function events.purge_events(
  p_after text, p_before text, p_limit integer, out last text, out forgotten integer)
language plpgsql volatile as $$
declare
  v_looked_at text[];
begin
  select array_agg(x.id), max(x.id) into v_looked_at, last from (
    select e.id from events e where e.id > p_after and e.id < p_before order by e.id limit p_limit) x;
  delete from events e where e.id = any (v_looked_at)
    and not events.has_subject(e)
    and not exists (select from webhook_messages m where m.event_id = e.id);
  get diagnostics forgotten = row_count;
end $$;
