import { isJsonObject, type JsonValue } from '@app/kernel';
import type { FoundRow, Renewal, SealedTable } from '@app/platform/resealing';
import { redactedCell } from './run-privacies.service.js';
import { isSealed, replaceValues } from './sealed-value.js';

// Everything of a run that is written by way of a PrivateJournal; a sealed value stands somewhere inside.
const RUNS: SealedTable = {
  name: 'runs',
  columns: ['trigger', 'input', 'output', 'error'],
  holdsLookalikes: true,
  find: {
    name: 'runs.find_sealed_runs',
    text: `select jsonb_build_array(id) as key, xmin::text as revision, workspace_id as workspace, agent_id as row,
        case when strpos(concat_ws(' ', trigger, input, output, error), '"$sealed": ') > 0 and $3::bytea is not null then
          jsonb_build_object('trigger', trigger, 'input', input, 'output', output, 'error', error) end as values
      from runs where id > coalesce($1::jsonb ->> 0, '') order by id limit $2`,
  },
  replace: {
    name: 'runs.reseal_runs',
    text: `with mine as (
        select r.id, f -> 'values' as fresh
        from jsonb_array_elements($1::jsonb) f join runs r on r.id = f -> 'key' ->> 0
        where r.xmin::text = f ->> 'revision'
        for update of r skip locked
      )
      update runs r set trigger = coalesce(m.fresh -> 'trigger', r.trigger), input = coalesce(m.fresh -> 'input', r.input),
        output = coalesce(m.fresh -> 'output', r.output), error = coalesce(m.fresh -> 'error', r.error)
      from mine m where r.id = m.id
      returning 1`,
  },
  renew: renewedJson,
};

const RUN_STEPS: SealedTable = {
  name: 'run_steps',
  columns: ['request', 'output', 'error', 'detail'],
  holdsLookalikes: true,
  find: {
    name: 'runs.find_sealed_steps',
    text: `select jsonb_build_array(s.run_id, s.n) as key, s.xmin::text as revision, s.workspace_id as workspace,
        (select r.agent_id from runs r where r.id = s.run_id) as row,
        case when strpos(concat_ws(' ', s.request, s.output, s.error, s.detail), '"$sealed": ') > 0 and $3::bytea is not null then
          jsonb_build_object('request', s.request, 'output', s.output, 'error', s.error, 'detail', s.detail) end as values
      from run_steps s
      where (s.run_id, s.n) > (coalesce($1::jsonb ->> 0, ''), coalesce(($1::jsonb ->> 1)::int, 0))
      order by s.run_id, s.n limit $2`,
  },
  replace: {
    name: 'runs.reseal_steps',
    text: `with mine as (
        select s.run_id, s.n, f -> 'values' as fresh
        from jsonb_array_elements($1::jsonb) f
          join run_steps s on s.run_id = f -> 'key' ->> 0 and s.n = (f -> 'key' ->> 1)::int
        where s.xmin::text = f ->> 'revision'
        for update of s skip locked
      )
      update run_steps s set request = coalesce(m.fresh -> 'request', s.request), output = coalesce(m.fresh -> 'output', s.output),
        error = coalesce(m.fresh -> 'error', s.error), detail = coalesce(m.fresh -> 'detail', s.detail)
      from mine m where s.run_id = m.run_id and s.n = m.n
      returning 1`,
  },
  renew: renewedJson,
};

const APPROVALS: SealedTable = {
  name: 'approvals',
  columns: ['request', 'show', 'decisions'],
  holdsLookalikes: true,
  find: {
    name: 'runs.find_sealed_approvals',
    text: `select jsonb_build_array(id) as key, xmin::text as revision, workspace_id as workspace, agent_id as row,
        case when strpos(concat_ws(' ', request, show, decisions), '"$sealed": ') > 0 and $3::bytea is not null then
          jsonb_build_object('request', request, 'show', show, 'decisions', decisions) end as values
      from approvals where id > coalesce($1::jsonb ->> 0, '') order by id limit $2`,
  },
  replace: {
    name: 'runs.reseal_approvals',
    text: `with mine as (
        select a.id, f -> 'values' as fresh
        from jsonb_array_elements($1::jsonb) f join approvals a on a.id = f -> 'key' ->> 0
        where a.xmin::text = f ->> 'revision'
        for update of a skip locked
      )
      update approvals a set request = coalesce(m.fresh -> 'request', a.request), show = coalesce(m.fresh -> 'show', a.show),
        decisions = coalesce(m.fresh -> 'decisions', a.decisions)
      from mine m where a.id = m.id
      returning 1`,
  },
  renew: renewedJson,
};

/** What of this lib is sealed, for a change of the key. */
export const SEALED_RUN_TABLES: readonly SealedTable[] = [RUNS, RUN_STEPS, APPROVALS];

function renewedJson({ workspace, row, values }: FoundRow, renewal: Renewal): Record<string, JsonValue> {
  const cell = redactedCell({ workspaceId: workspace, agentId: row });
  const fresh = (value: JsonValue): JsonValue =>
    replaceValues(value, (each) => {
      if (!isSealed(each)) return undefined;
      const renewed = renewal.renewed(Buffer.from(each.$sealed, 'base64'), cell);
      return renewed ? { ...each, $sealed: renewed.toString('base64') } : each;
    });
  const changed: Record<string, JsonValue> = {};
  for (const [column, value] of Object.entries(values ?? {})) {
    const renewed = fresh(value);
    if (renewed !== value && (isJsonObject(renewed) || Array.isArray(renewed))) changed[column] = renewed;
  }
  return changed;
}
