-- Appends steps that called nothing (let, assertion, output, error, ...) to the trace, from position p_n + 1 on:
-- [{path, type, state, output, error, detail}]. Returns the last position used.
create or replace function run_machine.record_notes(
  p_run text, p_workspace text, p_attempt integer, p_op uuid, p_epoch bigint, p_n integer, p_notes jsonb
) returns integer
language plpgsql volatile as $$
declare
  written integer;
begin
  insert into run_steps (run_id, n, workspace_id, path, type, state, attempt, op, epoch, output, error, detail, ended_at)
    select p_run, p_n + x.position, p_workspace, x.note ->> 'path', x.note ->> 'type', x.note ->> 'state', p_attempt, p_op, p_epoch,
      nullif(x.note -> 'output', 'null'), nullif(x.note -> 'error', 'null'), nullif(x.note -> 'detail', 'null'), clock_timestamp()
    from jsonb_array_elements(p_notes) with ordinality as x(note, position);
  get diagnostics written = row_count;
  return p_n + written;
end $$;
