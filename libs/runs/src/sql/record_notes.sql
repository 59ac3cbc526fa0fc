-- Appends notes (assertion, output, error, simulated calls, ...) to the trace from position p_n + 1 on: [{path, type,
-- state, tool, scope, effect, request, output, error, detail}]. A note is a step for which no request was sent. Returns
-- the last used position.
--
-- All these steps begin and end at the same time, so the clock is read only once. The insert sets started_at
-- explicitly. The default of this column would read the clock after ended_at is computed, so a step would end before it
-- began.
create or replace function run_machine.record_notes(
  p_run text, p_workspace text, p_attempt integer, p_op uuid, p_epoch bigint, p_n integer, p_notes jsonb
) returns integer
language plpgsql volatile as $$
declare
  v_now timestamptz := clock_timestamp();
  written integer;
begin
  insert into run_steps (run_id, n, workspace_id, path, type, state, tool, scope, effect, attempt, op, epoch,
      request, output, error, detail, started_at, ended_at)
    select p_run, p_n + x.position, p_workspace, x.path, x.type, x.state, x.tool, x.scope, x.effect, p_attempt, p_op, p_epoch,
      x.request, x.output, x.error, x.detail, v_now, v_now
    from rows from (jsonb_to_recordset(p_notes) as (path text, type text, state text, tool text, scope text, effect text,
        request jsonb, output jsonb, error jsonb, detail jsonb))
      with ordinality as x(path, type, state, tool, scope, effect, request, output, error, detail, position);
  get diagnostics written = row_count;
  return p_n + written;
end $$;

-- Like record_notes, for several runs at once. Appends the notes p_notes[i] to the run p_runs[i]. If p_notes[i] is
-- null, appends nothing. The caller holds the row locks of the runs and increases their step_n.
create or replace function run_machine.record_notes_of_runs(p_runs text[], p_ops uuid[], p_notes jsonb[]) returns void
language plpgsql volatile as $$
declare
  v_now timestamptz := clock_timestamp();
begin
  insert into run_steps (run_id, n, workspace_id, path, type, state, tool, scope, effect, attempt, op, epoch,
      request, output, error, detail, started_at, ended_at)
    select r.id, r.step_n + x.position, r.workspace_id, x.path, x.type, x.state, x.tool, x.scope, x.effect, r.attempt, c.op,
      -- Computes the same epoch as active_epoch.
      w.epoch - (w.state = 'stopped')::integer, x.request, x.output, x.error, x.detail, v_now, v_now
      from unnest(p_runs, p_ops, p_notes) as c(run, op, notes)
      join runs r on r.id = c.run
      join workspaces w on w.id = r.workspace_id,
      rows from (jsonb_to_recordset(c.notes) as (path text, type text, state text, tool text, scope text, effect text,
        request jsonb, output jsonb, error jsonb, detail jsonb))
      with ordinality as x(path, type, state, tool, scope, effect, request, output, error, detail, position)
     where c.notes is not null;
end $$;
