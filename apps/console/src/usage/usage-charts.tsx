import type { ReactNode } from 'react';
import { sumOfCosts } from '../ui/costs.js';
import { BarList } from '../ui/bar-list.js';
import { DayChart } from '../ui/day-chart.js';
import { formatCount, formatMoney } from '../ui/format-values.js';
import { Card } from '../ui/page.js';
import type { Grouping } from './usage-query.js';
import { changeText, costIn, type UsageGroup } from './usage-series.js';
import styles from './usage.module.css';

interface Chart {
  title: string;
  sum: string;
  value: (group: UsageGroup) => number;
  format: (value: number) => string;
  isWhole?: boolean;
}

export interface UsageChartsProps {
  grouping: Grouping;
  groups: readonly UsageGroup[];
  /** The groups of the period of equal length before. Undefined until they have loaded. */
  before: readonly UsageGroup[] | undefined;
}

/** Number of agents or models that a chart shows. */
const MAX_BARS = 8;

export function UsageCharts({ grouping, groups, before }: UsageChartsProps): ReactNode {
  return (
    <div className={styles.charts}>
      {chartsOf(grouping, groups).map((chart) => (
        <Card key={chart.title} title={chart.title}>
          <div>
            <strong className={styles.sum}>{chart.sum}</strong>
            {before && <p className={styles.before}>{changeText(sumOf(chart, groups), sumOf(chart, before))}</p>}
          </div>
          <Bars grouping={grouping} groups={groups} chart={chart} />
        </Card>
      ))}
    </div>
  );
}

function sumOf({ value }: Chart, groups: readonly UsageGroup[]): number {
  return groups.reduce((sum, group) => sum + value(group), 0);
}

function Bars({
  grouping,
  groups,
  chart,
}: {
  grouping: Grouping;
  groups: readonly UsageGroup[];
  chart: Chart;
}): ReactNode {
  const { title, value, format, isWhole = false } = chart;
  const label = `${title} by ${grouping}`;
  if (grouping === 'day') {
    const days = groups.map(({ key }) => key);
    const series = { name: title.toLowerCase(), look: 'accent' as const, values: groups.map(value) };
    return <DayChart title={label} days={days} format={format} isWhole={isWhole} series={[series]} />;
  }
  const bars = groups.map((group) => ({
    key: group.key,
    name: group.name,
    value: value(group),
    text: format(value(group)),
  }));
  return <BarList label={label} bars={bars} most={MAX_BARS} />;
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
      isWhole: true,
    },
    {
      title: 'Runs',
      // If the report is grouped by model, the runs are not summed, because a run that calls two models is counted for
      // each of them.
      sum: grouping === 'model' ? `${formatCount(groups.length)} models` : formatCount(runs),
      value: (group) => group.runs,
      format: formatCount,
      isWhole: true,
    },
  ];
}
