import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { daysAgo, useStatistics } from '../agents/health.js';
import { LatestRuns } from '../runs/latest-runs.js';
import { Page } from '../ui/page.js';
import { Activity, SHOWN_DAYS } from './activity.js';
import { Attention } from './attention.js';
import { GettingStarted } from './getting-started.js';

const LATEST_RUNS = 8;

export function OverviewPage(): ReactNode {
  const statistics = useStatistics({ group_by: 'status', since: daysAgo(SHOWN_DAYS) });
  return (
    <Page title="Overview" busy={statistics === undefined}>
      {statistics?.length === 0 && <GettingStarted />}
      <Attention />
      {statistics && <Activity statistics={statistics} />}
      {statistics && statistics.length > 0 && <GettingStarted />}
      <LatestRuns
        limit={LATEST_RUNS}
        links={<Link to="/runs">All runs</Link>}
        empty={
          <p>
            Start one on the page of an <Link to="/agents">agent</Link>.
          </p>
        }
      />
    </Page>
  );
}
