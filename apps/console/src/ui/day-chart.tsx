import type { ReactNode } from 'react';
import { axisMarks } from './axis-marks.js';
import styles from './day-chart.module.css';
import { formatShortDay } from './format-values.js';

export interface Series {
  name: string;
  /** One value for each day. */
  values: readonly number[];
  look: 'accent' | 'light' | 'red' | 'grey' | 'green';
  /** Values that the tooltip names, if the parts of a bar are the differences between them. */
  named?: readonly number[];
}

export interface DayChartProps {
  title: string;
  days: readonly string[];
  series: readonly Series[];
  format: (value: number) => string;
  /** True to mark only whole numbers on the axis. */
  isWhole?: boolean;
}

/** Two labels that are closer overlap, because a label can be wider than its day. */
const MAX_LABELS = 5;
/** More days than these have no gap between them. */
const MAX_SPACED = 60;

/** Chart with one stacked bar for each day. Screen readers read the same numbers from the table beside the chart. */
export function DayChart({ title, days, series, format, isWhole = false }: DayChartProps): ReactNode {
  const totals = days.map((_, day) => series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0));
  const marks = axisMarks(Math.max(0, ...totals), isWhole ? 1 : 0);
  const top = marks.at(-1) ?? 1;
  const step = Math.ceil(days.length / MAX_LABELS);
  return (
    <figure className={styles.figure} aria-label={title}>
      <figcaption className={styles.caption}>
        <span>{title}</span>
        {series.length > 1 && <Legend series={series} />}
      </figcaption>
      <div className={`${styles.chart} ${days.length > MAX_SPACED ? styles.dense : ''}`} aria-hidden>
        <div className={styles.marks}>
          {marks.map((mark) => (
            <span key={mark} style={{ bottom: `${(mark / top) * 100}%` }}>
              {format(mark)}
            </span>
          ))}
        </div>
        <div className={styles.plot}>
          {marks.map((mark) => (
            <i key={mark} className={styles.line} style={{ bottom: `${(mark / top) * 100}%` }} />
          ))}
          {days.map((day, index) => {
            const total = totals[index] ?? 0;
            return (
              <div key={day} className={styles.day} title={tooltip(day, index, series, format)}>
                <div className={styles.bar} style={{ height: `${(total / top) * 100}%` }}>
                  {series.map(({ name, values, look }) => (
                    // If the sum of `flex-grow` is below 1, the parts do not fill the bar.
                    <span
                      key={name}
                      className={styles[look]}
                      style={{ flexGrow: (values[index] ?? 0) / (total || 1) }}
                    />
                  ))}
                </div>
              </div>
            );
          })}
        </div>
        <div className={styles.days}>
          {days.map((day, index) => (
            <span key={day}>{(days.length - 1 - index) % step === 0 && <b>{formatShortDay(day)}</b>}</span>
          ))}
        </div>
      </div>
    </figure>
  );
}

function tooltip(day: string, index: number, series: readonly Series[], format: DayChartProps['format']): string {
  return `${formatShortDay(day)}: ${series.map(({ name, values, named = values }) => `${format(named[index] ?? 0)} ${name}`).join(', ')}`;
}

function Legend({ series }: { series: readonly Series[] }): ReactNode {
  return (
    <ul className={styles.legend}>
      {series.map(({ name, look }) => (
        <li key={name}>
          <i className={styles[look]} aria-hidden />
          {name}
        </li>
      ))}
    </ul>
  );
}
