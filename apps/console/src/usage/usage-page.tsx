import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import type { Search } from '../data/search.js';
import { Button } from '../ui/button.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { formatCount, formatMoney, formatShare, formatUtcDay } from '../ui/format-values.js';
import { Card, Empty, Page } from '../ui/page.js';
import { UsageCharts } from './usage-charts.js';
import { usageCsv } from './usage-csv.js';
import { UsageFilters } from './usage-filters.js';
import { dayOf, endOf, type Grouping, lastDayBefore, startOf, usageQuery, type UsageReport } from './usage-query.js';
import { groupsOf, sumOfCosts, type UsageGroup } from './usage-series.js';

export function UsagePage(): ReactNode {
  const search: Search = useSearch({ strict: false });
  const query = usageQuery(search);
  const { data, error, isPending } = useQuery({ queryKey: ['usage', query], queryFn: () => aas.usage.get(query) });
  return (
    <Page
      title="Usage"
      busy={isPending}
      error={error}
      actions={
        <Button refusal={data ? null : 'The report has not loaded yet.'} onClick={() => data && download(data)}>
          <Download size={14} aria-hidden />
          Download CSV
        </Button>
      }
    >
      <UsageFilters search={search} />
      {data && <Report report={data} />}
    </Page>
  );
}

function Report({ report }: { report: UsageReport }): ReactNode {
  const groups = groupsOf(report);
  const used = groups.filter(({ runs, input, output }) => runs + input + output > 0);
  if (used.length === 0)
    return (
      <Card flush>
        <Empty title="No results">
          <p>No run in this period. Costs appear here after an agent has run.</p>
        </Empty>
      </Card>
    );
  return (
    <>
      <UsageCharts grouping={report.group_by} groups={groups} />
      <Card flush>
        <DataTable
          label="Usage"
          columns={[GROUP_COLUMNS[report.group_by], ...SUM_COLUMNS]}
          rows={report.group_by === 'day' ? [...used].reverse() : used}
          rowKey={({ key }) => key}
        />
      </Card>
    </>
  );
}

const GROUP_COLUMNS: Readonly<Record<Grouping, Column<UsageGroup>>> = {
  day: {
    name: 'Day',
    cell: ({ key }) => (
      <Link to="/runs" search={{ since: startOf(key), until: endOf(key) }}>
        <time dateTime={key}>{formatUtcDay(key)}</time>
      </Link>
    ),
  },
  agent: {
    name: 'Agent',
    cell: ({ key, name }) => (
      <Link to="/agents/$id" params={{ id: key }}>
        {name}
      </Link>
    ),
  },
  model: { name: 'Model', cell: ({ name }) => name },
};

const SUM_COLUMNS: readonly Column<UsageGroup>[] = [
  { name: 'Runs', kind: 'number', cell: ({ runs }) => formatCount(runs) },
  { name: 'Input tokens', kind: 'optional-number', cell: ({ input }) => formatCount(input) },
  {
    name: 'Cached',
    kind: 'optional-number',
    cell: ({ cached, input }) => `${formatCount(cached)} (${formatShare(cached, input)})`,
  },
  { name: 'Output tokens', kind: 'optional-number', cell: ({ output }) => formatCount(output) },
  { name: 'Cost', kind: 'number', cell: ({ costs }) => sumOfCosts(costs).map(formatMoney).join(' + ') || '–' },
];

/** Creates the CSV file in the browser, from the data on the page. */
function download(report: UsageReport): void {
  const url = URL.createObjectURL(new Blob([usageCsv(report)], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `usage-by-${report.group_by}-${dayOf(report.since)}-${lastDayBefore(report.until)}.csv`;
  link.click();
  URL.revokeObjectURL(url);
}
