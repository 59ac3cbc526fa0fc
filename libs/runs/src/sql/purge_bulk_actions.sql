-- Deletes up to p_limit results of one bulk action that was completed more than p_days ago. When the bulk action has no
-- results left, deletes the bulk action too. Returns the number of deleted rows. Returns 0 if all bulk actions are
-- newer, or if another worker is deleting the same bulk action.
create or replace function run_machine.purge_bulk_actions(p_days integer, p_limit integer) returns integer
language plpgsql volatile as $$
declare
  v_bulk text;
  v_purged integer;
begin
  select b.id into v_bulk from bulk_actions b
   where b.ended_at < statement_timestamp() - p_days * interval '1 day' order by b.ended_at limit 1 for update skip locked;
  if not found then return 0; end if;
  delete from bulk_action_results x
   where x.bulk_action_id = v_bulk
     and x.run_id = any (array(select y.run_id from bulk_action_results y where y.bulk_action_id = v_bulk order by y.run_id limit p_limit));
  get diagnostics v_purged = row_count;
  if v_purged < p_limit then
    delete from bulk_actions b where b.id = v_bulk;
    v_purged := v_purged + 1;
  end if;
  return v_purged;
end $$;
