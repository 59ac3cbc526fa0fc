-- Claims the open bulk action that has been due the longest. No other worker claims it for p_lease_ms, or until
-- release_bulk_action is called. The claim only avoids useless work: a result is recorded only while it is pending, so
-- even two workers with the same bulk action do not act on a run twice.
create or replace function run_machine.claim_bulk_action(p_lease_ms integer)
returns table (id text, workspace_id text, action text, mode text, actor text, created_at timestamptz)
language plpgsql volatile as $$
begin
  return query
    update bulk_actions b
       set status = 'running', due_at = clock_timestamp() + p_lease_ms * interval '1 millisecond'
     where b.id = (select x.id from bulk_actions x where x.due_at <= statement_timestamp() order by x.due_at limit 1 for no key update skip locked)
    returning b.id, b.workspace_id, b.action, b.mode, b.actor, b.created_at::timestamptz;
end $$;

-- Makes an open bulk action due in p_pause_ms. Bulk actions that are already due come first, so workers alternate
-- between the open bulk actions.
create or replace function run_machine.release_bulk_action(p_bulk text, p_pause_ms integer) returns void
language sql volatile as $$
  update bulk_actions b set due_at = clock_timestamp() + p_pause_ms * interval '1 millisecond' where b.id = p_bulk and b.due_at is not null
$$;
