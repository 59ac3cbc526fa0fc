import type { ReactNode } from 'react';
import styles from './bar-list.module.css';

export interface NamedBar {
  key: string;
  name: string;
  value: number;
  text: string;
}

export interface BarListProps {
  label: string;
  bars: readonly NamedBar[];
  /** The largest bars are shown, and the number of the others. */
  most: number;
}

/** Horizontal bars, each with its name and its value. */
export function BarList({ label, bars, most }: BarListProps): ReactNode {
  const sorted = bars.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
  const top = sorted[0]?.value ?? 1;
  const others = sorted.length - most;
  return (
    <>
      <ol className={styles.list} aria-label={label}>
        {sorted.slice(0, most).map(({ key, name, value, text }) => (
          <li key={key}>
            <span className={styles.name} title={name}>
              {name}
            </span>
            <span className={styles.value}>{text}</span>
            <span className={styles.bar} style={{ width: `${(value / top) * 100}%` }} />
          </li>
        ))}
      </ol>
      {others > 0 && <p className={styles.others}>and {others} more</p>}
    </>
  );
}
