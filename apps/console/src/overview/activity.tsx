import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { daysAgo } from '../agents/health.js';
import type { RunStatistic } from '../agents/run-statistic.js';
import { aas } from '../data/api.js';
import { DayChart } from '../ui/day-chart.js';
import { formatCount, formatDay, formatDuration, formatMoney, formatRate } from '../ui/format-values.js';
import { Card, Empty } from '../ui/page.js';
import table from '../ui/table.module.css';
import { useNow } from '../ui/time.js';
import { type Day, lastDays, mainCurrency } from './days.js';
import { medianMillis } from './time-to-decision.js';
import styles from './overview.module.css';

export const SHOWN_DAYS = 14;

export function Activity({ statistics }: { statistics: readonly RunStatistic[] }): ReactNode {
  const currency = mainCurrency(statistics) ?? 'EUR';
  const days = lastDays(statistics, currency, useNow(60_000), SHOWN_DAYS);
  const failed = sum(days, ({ failed: count }) => count);
  const runs = sum(days, (day) => day.succeeded + day.failed + day.other);
  const decision = useTimeToDecision();
  const money = (value: number): string => formatMoney({ amount: String(value), currency });
  return (
    <Card
      title={`Production runs of the last ${SHOWN_DAYS} days`}
      actions={
        <Link to="/$" params={{ _splat: 'usage' }}>
          Usage
        </Link>
      }
    >
      {runs === 0 ? (
        <Empty title={`No production run has ended in ${SHOWN_DAYS} days`}>
          <p>Number, cost and active time of each day appear here after a run has ended. Test runs do not count.</p>
        </Empty>
      ) : (
        <>
          <dl className={styles.sums}>
            <Sum name="Runs ended" value={formatCount(runs)} />
            <Sum name="Failed" value={formatRate(failed, runs)} />
            <Sum name="Cost" value={money(sum(days, ({ cost }) => cost))} />
            {decision !== undefined && <Sum name="Median time to a decision" value={formatDuration(decision)} />}
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

/**
 * Returns the median time in milliseconds in which people decided the latest approvals, at most 100 of the shown days.
 * Undefined if there are none.
 */
function useTimeToDecision(): number | undefined {
  const { data } = useQuery({
    queryKey: ['approvals', 'decided'],
    queryFn: () => aas.approvals.list({ status: ['approved', 'rejected', 'answered'], mode: 'production', limit: 100 }),
    staleTime: 60_000,
  });
  return medianMillis(data?.data ?? [], Date.parse(daysAgo(SHOWN_DAYS)));
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
      <DayChart
        title="Active time of succeeded runs"
        days={starts}
        format={formatDuration}
        series={[
          { name: 'median', look: 'accent', values: days.map(({ p50 }) => p50) },
          {
            name: '95th percentile',
            look: 'light',
            values: days.map(({ p50, p95 }) => p95 - p50),
            named: days.map(({ p95 }) => p95),
          },
        ]}
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
            {['Succeeded', 'Failed', 'Other', 'Cost', 'Median', '95th percentile'].map((name) => (
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
              {[day.p50, day.p95].map((millis, index) => (
                <td key={index} className={table.number}>
                  {day.succeeded > 0 ? formatDuration(millis) : '–'}
                </td>
              ))}
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
