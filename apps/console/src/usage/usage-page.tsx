import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import type { ReactNode } from 'react';
import { MAX_LISTED_AGENTS, useAgents } from '../data/agent-names.js';
import { aas } from '../data/api.js';
import type { Search } from '../data/search.js';
import { sumOfCosts } from '../ui/costs.js';
import { Button } from '../ui/button.js';
import { downloadCsv } from '../ui/csv.js';
import { type Column, DataTable } from '../ui/data-table.js';
import { formatCount, formatMoney, formatShare, formatUtcDay } from '../ui/format-values.js';
import { Card, Empty, Page } from '../ui/page.js';
import { DailyBudgets } from './daily-budgets.js';
import { UsageCharts } from './usage-charts.js';
import { usageCsv } from './usage-csv.js';
import { UsageFilters } from './usage-filters.js';
import { dayOf, endOf, type Grouping, lastDayBefore, startOf, usageQuery, type UsageReport } from './usage-query.js';
import { groupsOf, type UsageGroup, withoutDrafts } from './usage-series.js';

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
      <DailyBudgets agent={query.agent} />
      {data && <Report report={data} agent={query.agent} />}
    </Page>
  );
}

function Report({ report, agent }: { report: UsageReport; agent: string | undefined }): ReactNode {
  const agents = useAgents();
  const before = usePeriodBefore(report, agent);
  const isByAgent = report.group_by === 'agent' && agents.length > 0 && agents.length < MAX_LISTED_AGENTS;
  const listed = new Set(agents.map(({ id }) => id));
  const groups = isByAgent ? withoutDrafts(groupsOf(report), listed) : groupsOf(report);
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
      <UsageCharts grouping={report.group_by} groups={groups} before={before && groupsOf(before)} />
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

/** Reads the report of the period of equal length that ended when the shown one began. */
function usePeriodBefore({ group_by, since, until }: UsageReport, agent: string | undefined): UsageReport | undefined {
  const start = new Date(2 * Date.parse(since) - Date.parse(until)).toISOString();
  const query = { group_by, since: start, until: since, ...(agent !== undefined && { agent }) };
  return useQuery({ queryKey: ['usage', query], queryFn: () => aas.usage.get(query), staleTime: Infinity }).data;
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
    cell: ({ key, name }) =>
      key === name ? (
        name
      ) : (
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

function download(report: UsageReport): void {
  downloadCsv(
    usageCsv(report),
    `usage-by-${report.group_by}-${dayOf(report.since)}-${lastDayBefore(report.until)}.csv`,
  );
}
