import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { daysAgo, useStatistics } from '../agents/health.js';
import { useAgents } from '../data/agent-names.js';
import { aas } from '../data/api.js';
import { useRefreshOnRuns } from '../live/changes.js';
import { RunsTable } from '../runs/runs-table.js';
import { Card, Empty, Page } from '../ui/page.js';
import { Activity, SHOWN_DAYS } from './activity.js';
import { Attention } from './attention.js';

const LATEST_RUNS = 8;

export function OverviewPage(): ReactNode {
  const agents = useAgents();
  const latest = useQuery({
    queryKey: ['runs', 'overview'],
    queryFn: () => aas.runs.list({ limit: LATEST_RUNS }),
  });
  useRefreshOnRuns(['runs', 'overview']);
  const statistics = useStatistics({ group_by: 'status', since: daysAgo(SHOWN_DAYS) });
  return (
    <Page title="Overview" busy={latest.isPending} error={latest.error}>
      <Attention />
      {statistics && <Activity statistics={statistics} />}
      <Card title="Latest runs" flush actions={<Link to="/runs">All runs</Link>}>
        {latest.data &&
          (latest.data.data.length > 0 ? (
            <RunsTable runs={latest.data.data} agents={agents} />
          ) : (
            <Empty title="No run yet">
              <p>
                Start one on the page of an <Link to="/agents">agent</Link>.
              </p>
            </Empty>
          ))}
      </Card>
    </Page>
  );
}
