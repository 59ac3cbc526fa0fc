import { type ReactNode, useState } from 'react';
import type { Run } from '../data/api.js';
import { formatCount, formatMoney } from '../ui/format-values.js';
import { MenuButton, MenuItem } from '../ui/menu.js';
import table from '../ui/table.module.css';
import { Time } from '../ui/time.js';
import { Word } from '../ui/word.js';
import { Durations } from './durations.js';
import styles from './runs.module.css';

export interface RunColumn {
  id: string;
  name: string;
  isNumber?: boolean;
  /** A narrow list, and the list on the page of an agent, omits the column. */
  isExtra?: boolean;
  cell: (run: Run) => ReactNode;
}

const COLUMNS: readonly RunColumn[] = [
  {
    id: 'trigger',
    name: 'Trigger',
    isExtra: true,
    cell: ({ trigger, initiator }) => (
      <>
        <Word kind="trigger" value={trigger.type} />
        {initiator !== null && (
          <div className={styles.second} title={initiator}>
            {initiator}
          </div>
        )}
      </>
    ),
  },
  { id: 'started', name: 'Started', cell: ({ started_at: at }) => <Time at={at} /> },
  { id: 'ended', name: 'Ended', cell: ({ ended_at: at }) => (at === null ? '–' : <Time at={at} />) },
  { id: 'active', name: 'Active', isNumber: true, cell: (run) => <Durations run={run} /> },
  {
    id: 'tokens',
    name: 'Tokens',
    isNumber: true,
    cell: ({ usage }) => formatCount(usage.input_tokens + usage.output_tokens),
  },
  { id: 'cost', name: 'Cost', isNumber: true, isExtra: true, cell: ({ cost }) => formatMoney(cost) },
  {
    id: 'labels',
    name: 'Labels',
    cell: ({ labels }) => (
      <div className={styles.second}>
        {Object.entries(labels)
          .map(([key, value]) => `${key}=${value}`)
          .join(', ')}
      </div>
    ),
  },
];
const USUAL: readonly string[] = ['trigger', 'started', 'active', 'cost'];
const STORED = 'console-run-columns';

export const USUAL_COLUMNS = columnsOf(USUAL);

function columnsOf(ids: readonly string[]): readonly RunColumn[] {
  return COLUMNS.filter(({ id }) => ids.includes(id));
}

function storedColumns(): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(STORED) ?? 'null');
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : USUAL;
  } catch {
    return USUAL;
  }
}

/** The columns that the person has chosen in this browser, and a menu that changes them. */
export function useRunColumns(): { columns: readonly RunColumn[]; menu: ReactNode } {
  const [ids, setIds] = useState(storedColumns);
  const toggle = (id: string): void => {
    const next = ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id];
    setIds(next);
    try {
      localStorage.setItem(STORED, JSON.stringify(next));
    } catch {
      // The storage is full or not allowed. The choice then applies until the page is closed.
    }
  };
  const menu = (
    <MenuButton label="Columns" placement="bottom end">
      {COLUMNS.map(({ id, name }) => (
        <MenuItem key={id} name={name} isChosen={ids.includes(id)} onAction={() => toggle(id)} />
      ))}
    </MenuButton>
  );
  return { columns: columnsOf(ids), menu };
}

export function classOfColumn({ isNumber, isExtra }: RunColumn): string {
  return [table.optional, isNumber && table.number, isExtra && `${table.wide} ${styles.extra}`]
    .filter(Boolean)
    .join(' ');
}
