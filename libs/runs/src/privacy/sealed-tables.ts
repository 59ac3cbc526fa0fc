import { isJsonObject, type JsonValue } from '@app/kernel';
import type { SealedCell } from '@app/platform/crypto';
import { type FoundRow, type Renewal, sealedBytes, sealedJson, type SealedTable } from '@app/platform/resealing';
import { redactedCell } from './run-privacies.service.js';
import { isSealed, replaceValues } from './sealed-value.js';

const MARKER = '"$sealed": ';

/** After a rotation of the key, these values are sealed again. */
export const SEALED_RUN_TABLES: readonly SealedTable[] = [
  sealedJson(
    { table: 'runs', key: { id: 'text' }, row: 't.agent_id', columns: ['trigger', 'input', 'output', 'error'] },
    MARKER,
    renewedJson,
  ),
  sealedJson(
    {
      table: 'run_steps',
      key: { run_id: 'text', n: 'integer' },
      row: '(select r.agent_id from runs r where r.id = t.run_id)',
      columns: ['request', 'output', 'error', 'detail'],
    },
    MARKER,
    renewedJson,
  ),
  sealedJson(
    {
      table: 'run_callbacks',
      key: { run_id: 'text', path: 'text' },
      row: '(select r.agent_id from runs r where r.id = t.run_id)',
      columns: ['body'],
    },
    MARKER,
    renewedJson,
  ),
  sealedJson(
    { table: 'approvals', key: { id: 'text' }, row: 't.agent_id', columns: ['request', 'show', 'answer', 'decisions'] },
    MARKER,
    renewedJson,
  ),
  sealedJson(
    {
      table: 'turn_messages',
      key: { run_id: 'text', n: 'integer' },
      row: '(select r.agent_id from runs r where r.id = t.run_id)',
      columns: ['prompt', 'added'],
    },
    MARKER,
    renewedJson,
  ),
  sealedBytes(
    {
      table: 'turn_states',
      key: { run_id: 'text', n: 'integer' },
      row: `t.run_id || '.' || t.n`,
      columns: ['sealed'],
    },
    ({ workspace, row }) => turnStateCell(workspace, row),
  ),
];

/** @param row id of the run and position of the turn, with a point between them */
export function turnStateCell(workspace: string, row: string): SealedCell {
  return { workspace, table: 'turn_states', column: 'sealed', row };
}

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
