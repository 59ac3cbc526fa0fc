import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import type { RunStatistic } from '../agents/health.js';
import { formatCount, formatDay, formatMoney } from '../ui/format-values.js';
import { Card, Empty } from '../ui/page.js';
import table from '../ui/table.module.css';
import { useNow } from '../ui/time.js';
import { DayChart } from './day-chart.js';
import { type Day, lastDays, mainCurrency } from './days.js';
import styles from './overview.module.css';

export const SHOWN_DAYS = 14;

export function Activity({ statistics }: { statistics: readonly RunStatistic[] }): ReactNode {
  const currency = mainCurrency(statistics) ?? 'EUR';
  const days = lastDays(statistics, currency, useNow(60_000), SHOWN_DAYS);
  const failed = sum(days, ({ failed: count }) => count);
  const runs = sum(days, (day) => day.succeeded + day.failed + day.other);
  const money = (value: number): string => formatMoney({ amount: String(value), currency });
  return (
    <Card
      title={`Last ${SHOWN_DAYS} days`}
      actions={
        <Link to="/$" params={{ _splat: 'usage' }}>
          Usage
        </Link>
      }
    >
      {runs === 0 ? (
        <Empty title={`No run has ended in ${SHOWN_DAYS} days`} />
      ) : (
        <>
          <dl className={styles.sums}>
            <Sum name="Runs ended" value={formatCount(runs)} />
            <Sum name="Failed" value={`${((failed / runs) * 100).toFixed(failed > 0 ? 1 : 0)} %`} />
            <Sum name="Cost" value={money(sum(days, ({ cost }) => cost))} />
          </dl>
          <Charts days={days} money={money} />
          <details className={styles.details}>
            <summary>Show as a table</summary>
            <DaysTable days={days} money={money} />
          </details>
        </>
      )}
    </Card>
  );
}

function sum(days: readonly Day[], of: (day: Day) => number): number {
  return days.reduce((total, day) => total + of(day), 0);
}

interface DaysProps {
  days: readonly Day[];
  money: (value: number) => string;
}

function Charts({ days, money }: DaysProps): ReactNode {
  const starts = days.map(({ start }) => start);
  const other = days.map((day) => day.other);
  return (
    <div className={styles.charts}>
      <DayChart
        title="Ended runs per day"
        days={starts}
        format={formatCount}
        isWhole
        series={[
          { name: 'succeeded', look: 'green', values: days.map(({ succeeded }) => succeeded) },
          { name: 'failed', look: 'red', values: days.map(({ failed }) => failed) },
          ...(other.some((count) => count > 0) ? [{ name: 'other', look: 'grey' as const, values: other }] : []),
        ]}
      />
      <DayChart
        title="Cost per day"
        days={starts}
        format={money}
        series={[{ name: 'cost', look: 'accent', values: days.map(({ cost }) => cost) }]}
      />
    </div>
  );
}

function DaysTable({ days, money }: DaysProps): ReactNode {
  return (
    <div className={table.scroll}>
      <table className={table.table} aria-label="Runs and cost by day">
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            {['Succeeded', 'Failed', 'Other', 'Cost'].map((name) => (
              <th key={name} scope="col" className={table.number}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...days].reverse().map((day) => (
            <tr key={day.start}>
              <td>
                <time dateTime={day.start}>{formatDay(day.start)}</time>
              </td>
              {[day.succeeded, day.failed, day.other].map((count, index) => (
                <td key={index} className={table.number}>
                  {formatCount(count)}
                </td>
              ))}
              <td className={table.number}>{money(day.cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Sum({ name, value }: { name: string; value: string }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
