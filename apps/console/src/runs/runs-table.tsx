import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import type { Run } from '../data/api.js';
import { formatMoney } from '../ui/format-values.js';
import { Status, Tag } from '../ui/status.js';
import table from '../ui/table.module.css';
import { Time } from '../ui/time.js';
import { Durations } from './durations.js';
import { inputLine } from './input-line.js';
import { classOfColumn, type RunColumn, USUAL_COLUMNS } from './run-columns.js';
import styles from './runs.module.css';
import { waitingText } from './waiting.js';

export interface RunsTableSelection {
  ids: ReadonlySet<string>;
  onToggle: (id: string, isRange: boolean) => void;
  onToggleAll: () => void;
}

export interface RunsTableProps {
  runs: readonly Run[];
  /** True on the page of an agent: hides its name and the columns for the trigger and the cost. */
  compact?: boolean;
  columns?: readonly RunColumn[];
  selection?: RunsTableSelection;
}

export function RunsTable({ runs, compact = false, columns = USUAL_COLUMNS, selection }: RunsTableProps): ReactNode {
  return (
    <div className={`${table.scroll} ${compact ? styles.compact : ''}`}>
      <table className={`${table.table} ${styles.cards}`} aria-label="Runs">
        <thead>
          <tr>
            {selection && (
              <th scope="col" className={styles.check}>
                <SelectAll runs={runs} selection={selection} />
              </th>
            )}
            <th scope="col">Status</th>
            <th scope="col">Run</th>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={classOfColumn(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow key={run.id} run={run} compact={compact} columns={columns} selection={selection} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function SelectAll({ runs, selection }: { runs: readonly Run[]; selection: RunsTableSelection }): ReactNode {
  const box = useRef<HTMLInputElement>(null);
  const count = runs.filter(({ id }) => selection.ids.has(id)).length;
  const isAll = count === runs.length;
  useEffect(() => {
    if (box.current) box.current.indeterminate = count > 0 && !isAll;
  });
  return (
    <label className={styles.checkTarget}>
      <input
        ref={box}
        type="checkbox"
        aria-label="Select all shown runs"
        checked={isAll}
        onChange={selection.onToggleAll}
      />
      <span className={styles.selectAll}>Select all</span>
    </label>
  );
}

interface RunRowProps {
  run: Run;
  compact: boolean;
  columns: readonly RunColumn[];
  selection: RunsTableSelection | undefined;
}

function RunRow({ run, compact, columns, selection }: RunRowProps): ReactNode {
  const reason = run.error?.message ?? waitingText(run);
  const line = inputLine(run.input);
  const isSelected = selection?.ids.has(run.id) === true;
  return (
    <tr data-selected={isSelected || undefined} className={styles.row}>
      {selection && (
        <td className={styles.check}>
          <label className={styles.checkTarget}>
            <input
              type="checkbox"
              aria-label={`Select ${run.id}`}
              checked={isSelected}
              onChange={(event) => selection.onToggle(run.id, (event.nativeEvent as MouseEvent).shiftKey)}
            />
          </label>
        </td>
      )}
      <td>
        <Status value={run.status} />
      </td>
      <td className={table.rest}>
        <div className={styles.name}>
          <Link to="/runs/$id" params={{ id: run.id }} className={table.main} title={run.id}>
            {compact ? <RunTitle id={run.id} line={line} /> : run.agent_name}
          </Link>
          <Tag>v{run.version}</Tag>
          {run.mode === 'test' && <Tag>test</Tag>}
        </div>
        {line !== '' && <div className={styles.second}>{compact ? <code>{run.id}</code> : line}</div>}
        {reason !== undefined && <div className={styles.second}>{reason}</div>}
        {line === '' && reason === undefined && !compact && (
          <div className={styles.second}>
            <code>{run.id}</code>
          </div>
        )}
        <div className={styles.facts}>
          <Time at={run.started_at} />
          <div>
            <Durations run={run} />
          </div>
          <span>{formatMoney(run.cost)}</span>
        </div>
      </td>
      {columns.map((column) => (
        <td key={column.id} className={`${table.muted} ${table.nowrap} ${classOfColumn(column)}`}>
          {column.cell(run)}
        </td>
      ))}
    </tr>
  );
}

function RunTitle({ id, line }: { id: string; line: string }): ReactNode {
  return line === '' ? <code>{id}</code> : line;
}
