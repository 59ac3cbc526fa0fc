import type { JsonObject, JsonValue } from '@app/kernel';
import type { Statement, Statements } from '@app/platform/database';
import type { RunStatus } from '../records/run-status.js';
import type { RunStepEntity } from '../records/run-step.entity.js';
import type { WatchPosition } from './watch-position.js';

export interface Observation {
  status: RunStatus;
  /** They omit the outputs of calls, which can be large and are not part of traces. */
  steps: { step: RunStepEntity; revision: string }[];
  /** False if there are further changes that exceed the limits of one read. */
  isComplete: boolean;
}

const STEPS_PER_RUN = 50;
/** A read ends with the step that reaches this size, so it returns at least one step. */
const BYTES_PER_READING = 4 * 1024 * 1024;

/**
 * The revision of a step is its `xmin`: the id of the last transaction that wrote the row. The limits of a read apply
 * only to new steps, because known steps seldom change.
 */
const CHANGES: Statement = {
  name: 'watched_runs_changes',
  text: `
    with watched as (
      select * from jsonb_to_recordset($1::jsonb) as w(watcher integer, run text, after integer, open jsonb, status text)
    ), changed as (
      select w.watcher, s.*,
        sum(coalesce(pg_column_size(s.request), 0) + coalesce(pg_column_size(s.detail), 0) + coalesce(pg_column_size(s.shown_output), 0))
          over (order by w.watcher, s.n rows between unbounded preceding and 1 preceding) as bytes_before
      from watched w cross join lateral (
        select c.*, case when c.type not in ('tool_call', 'model_call') then c.output end as shown_output, c.xmin::text as revision
          from jsonb_each_text(w.open) o join run_steps c on c.run_id = w.run and c.n = o.key::integer
         where c.xmin::text <> o.value
        union all
        (select c.*, case when c.type not in ('tool_call', 'model_call') then c.output end, c.xmin::text
           from run_steps c where c.run_id = w.run and c.n > w.after order by c.n limit $2)
      ) s
    )
    select w.watcher, r.status as run_status, r.step_n, c.n, c.run_id, c.workspace_id, c.path, c.try, c.type, c.tool, c.scope,
      c.effect, c.state, c.attempt, c.op, c.epoch, c.request, c.shown_output, c.error, c.detail, c.started_at, c.ended_at,
      c.due_at, c.cost_micros, c.revision
    from watched w
    join runs r on r.id = w.run
    left join changed c on c.watcher = w.watcher and (c.n <= w.after or coalesce(c.bytes_before, 0) < $3)
    where c.n is not null or r.status is distinct from w.status or r.step_n > w.after
    order by w.watcher, c.n`,
};

interface ChangeRow {
  watcher: number;
  run_status: RunStatus;
  step_n: number;
  n: number | null;
  run_id: string;
  workspace_id: string;
  path: string;
  try: number;
  type: RunStepEntity['type'];
  tool: string | null;
  scope: RunStepEntity['scope'];
  effect: RunStepEntity['effect'];
  state: RunStepEntity['state'];
  attempt: number;
  op: string;
  epoch: string;
  request: JsonObject | null;
  shown_output: JsonValue;
  error: RunStepEntity['error'];
  detail: JsonObject | null;
  started_at: Date;
  ended_at: Date | null;
  due_at: Date | null;
  cost_micros: string | null;
  revision: string;
}

export class WatchedRunsRepository {
  constructor(private readonly statements: Statements) {}

  /** Returns the changes since each of the positions. A position without changes has no entry. */
  async changesAt(positions: readonly WatchPosition[]): Promise<Map<WatchPosition, Observation>> {
    const watched = positions.map(({ runId, seenUpTo, openRevisions, status }, watcher) => ({
      watcher,
      run: runId,
      after: seenUpTo,
      open: openRevisions,
      status,
    }));
    const rows = await this.statements.query<ChangeRow>(CHANGES, [
      JSON.stringify(watched),
      STEPS_PER_RUN,
      BYTES_PER_READING,
    ]);
    const observations = new Map<WatchPosition, Observation>();
    for (const row of rows) {
      const position = positions[row.watcher];
      if (position) observations.set(position, withRow(observations.get(position), row, position));
    }
    return observations;
  }
}

function withRow(before: Observation | undefined, row: ChangeRow, position: WatchPosition): Observation {
  const steps = before?.steps ?? [];
  if (row.n !== null) steps.push({ step: stepOf(row, row.n), revision: row.revision });
  const readUpTo = Math.max(position.seenUpTo, row.n ?? 0);
  return { status: row.run_status, steps, isComplete: readUpTo >= row.step_n };
}

function stepOf(row: ChangeRow, n: number): RunStepEntity {
  const { path, type, tool, scope, effect, state, attempt, op, epoch, request, error, detail } = row;
  return {
    runId: row.run_id,
    n,
    workspaceId: row.workspace_id,
    path,
    try: row.try,
    type,
    tool,
    scope,
    effect,
    state,
    attempt,
    op,
    epoch,
    request,
    output: row.shown_output,
    error,
    detail,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    dueAt: row.due_at,
    costMicros: row.cost_micros,
  };
}
