import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import type { Run } from '../data/api.js';
import { formatDuration, formatMoney } from '../ui/format-values.js';
import { Status, Tag } from '../ui/status.js';
import table from '../ui/table.module.css';
import { Elapsed, Time } from '../ui/time.js';
import { Word } from '../ui/word.js';
import styles from './runs.module.css';
import { waitingText } from './waiting.js';

export interface RunsTableSelection {
  ids: ReadonlySet<string>;
  onToggle: (id: string, isRange: boolean) => void;
  onToggleAll: () => void;
}

export interface RunsTableProps {
  runs: readonly Run[];
  /** True to hide the columns for the trigger and the cost. */
  compact?: boolean;
  selection?: RunsTableSelection;
}

export function RunsTable({ runs, compact = false, selection }: RunsTableProps): ReactNode {
  return (
    <div className={`${table.scroll} ${compact ? styles.compact : ''}`}>
      <table className={table.table} aria-label="Runs">
        <thead>
          <tr>
            {selection && (
              <th scope="col" className={styles.check}>
                <SelectAll runs={runs} selection={selection} />
              </th>
            )}
            <th scope="col">Status</th>
            <th scope="col">Run</th>
            <th scope="col" className={`${table.optional} ${styles.extra}`}>
              Trigger
            </th>
            <th scope="col" className={table.optional}>
              Started
            </th>
            <th scope="col" className={`${table.number} ${table.optional}`}>
              Active
            </th>
            <th scope="col" className={`${table.number} ${table.optional} ${styles.extra}`}>
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => (
            <RunRow key={run.id} run={run} selection={selection} />
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
    </label>
  );
}

interface RunRowProps {
  run: Run;
  selection: RunsTableSelection | undefined;
}

function RunRow({ run, selection }: RunRowProps): ReactNode {
  const waiting = waitingText(run);
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
      <td>
        <div className={styles.name}>
          <Link to="/runs/$id" params={{ id: run.id }} className={table.main}>
            {run.agent_name}
          </Link>
          <Tag>v{run.version}</Tag>
          {run.mode === 'test' && <Tag>test</Tag>}
          <span className={styles.narrowTime}>
            <Time at={run.started_at} />
          </span>
        </div>
        <div className={styles.second}>{run.error?.message ?? waiting ?? <code>{run.id}</code>}</div>
      </td>
      <td className={`${table.muted} ${table.nowrap} ${table.optional} ${styles.extra}`}>
        <Word kind="trigger" value={run.trigger.type} />
        {run.initiator !== null && <div className={styles.second}>{run.initiator}</div>}
      </td>
      <td className={`${table.muted} ${table.nowrap} ${table.optional}`}>
        <Time at={run.started_at} />
      </td>
      <td className={`${table.number} ${table.muted} ${table.optional}`}>
        <Durations run={run} />
      </td>
      <td className={`${table.number} ${table.muted} ${table.optional} ${styles.extra}`}>{formatMoney(run.cost)}</td>
    </tr>
  );
}

/**
 * Shows how long an ended run was executed and, below, how long it waited. For a run that a worker executes, the time
 * since the start; a run that waits is not active.
 */
function Durations({ run }: { run: Run }): ReactNode {
  const { started_at: since, ended_at: until, duration_ms: active } = run;
  if (run.waiting !== null) return 'waits';
  if (active === null || until === null) return <Elapsed since={since} end={null} />;
  const waited = Date.parse(until) - Date.parse(since) - active;
  return (
    <>
      {formatDuration(active)}
      {waited >= SHOWN_WAIT_MILLIS && <div className={styles.second}>waited {formatDuration(waited)}</div>}
    </>
  );
}

const SHOWN_WAIT_MILLIS = 1_000;
