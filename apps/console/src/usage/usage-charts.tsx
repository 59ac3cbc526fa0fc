import type { ReactNode } from 'react';
import { type Bar, BarChart } from '../ui/bar-chart.js';
import { formatCount, formatMoney, formatUtcDay } from '../ui/format-values.js';
import { Card } from '../ui/page.js';
import type { Grouping } from './usage-query.js';
import { costIn, sumOfCosts, type UsageGroup } from './usage-series.js';
import styles from './usage.module.css';

interface Chart {
  title: string;
  sum: string;
  value: (group: UsageGroup) => number;
  format: (value: number) => string;
}

export interface UsageChartsProps {
  grouping: Grouping;
  groups: readonly UsageGroup[];
}

export function UsageCharts({ grouping, groups }: UsageChartsProps): ReactNode {
  const nameOf = ({ name }: UsageGroup): string => (grouping === 'day' ? formatUtcDay(name) : name);
  const barsOf = ({ value, format }: Chart): Bar[] =>
    groups.map((group) => ({
      key: group.key,
      value: value(group),
      text: `${nameOf(group)}: ${format(value(group))}`,
    }));
  return (
    <div className={styles.charts}>
      {chartsOf(grouping, groups).map((chart) => (
        <Card key={chart.title} title={chart.title}>
          <strong className={styles.sum}>{chart.sum}</strong>
          <BarChart label={`${chart.title} by ${grouping}`} bars={barsOf(chart)} />
        </Card>
      ))}
    </div>
  );
}

function chartsOf(grouping: Grouping, groups: readonly UsageGroup[]): Chart[] {
  const sums = sumOfCosts(groups.flatMap(({ costs }) => costs));
  const costs = sums.map((sum) => ({
    title: sums.length > 1 ? `Cost in ${sum.currency}` : 'Cost',
    sum: formatMoney(sum),
    value: (group: UsageGroup) => costIn(group, sum.currency),
    format: (value: number) => formatMoney({ amount: String(value), currency: sum.currency }),
  }));
  const tokens = ({ input, output }: UsageGroup): number => input + output;
  const runs = groups.reduce((sum, group) => sum + group.runs, 0);
  return [
    ...costs,
    {
      title: 'Tokens',
      sum: formatCount(groups.reduce((sum, group) => sum + tokens(group), 0)),
      value: tokens,
      format: formatCount,
    },
    {
      title: 'Runs',
      // If the report is grouped by model, the runs are not summed, because a run that calls two models is counted for
      // each of them.
      sum: grouping === 'model' ? `${formatCount(groups.length)} models` : formatCount(runs),
      value: (group) => group.runs,
      format: formatCount,
    },
  ];
}
