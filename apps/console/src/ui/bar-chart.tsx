import type { ReactNode } from 'react';
import styles from './bar-chart.module.css';

export interface Bar {
  key: string;
  value: number;
  /** Share of failed items, 0 to 1. This part of the bar is red. */
  failed?: number;
  /** Text of the bar for screen readers, and its tooltip. */
  text: string;
}

/** If there are more bars than this, they have no gap between them. */
const MAX_SPACED = 60;

/** Bar chart. Each bar has a text with its numbers, so that screen readers can read the chart. */
export function BarChart({ label, bars }: { label: string; bars: readonly Bar[] }): ReactNode {
  const most = bars.reduce((highest, { value }) => Math.max(highest, value), 0);
  const share = (value: number): string => `${most === 0 ? 0 : (value / most) * 100}%`;
  return (
    <ol className={`${styles.chart} ${bars.length > MAX_SPACED ? styles.dense : ''}`} aria-label={label}>
      {bars.map(({ key, value, failed = 0, text }) => (
        <li key={key} title={text}>
          <span className={`${styles.bar} ${value > 0 ? styles.some : ''}`} style={{ height: share(value) }}>
            {failed > 0 && <span className={styles.failed} style={{ height: `${failed * 100}%` }} />}
          </span>
          <span className="visually-hidden">{text}</span>
        </li>
      ))}
    </ol>
  );
}
