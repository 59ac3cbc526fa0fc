import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { daysAgo, useStatistics } from '../agents/health.js';
import { useAgents } from '../data/agent-names.js';
import { useRefusal } from '../data/session.js';
import { useRefreshOnRuns } from '../live/changes.js';
import { LatestRuns, useLatestRuns } from '../runs/latest-runs.js';
import { Page } from '../ui/page.js';
import { Activity, SHOWN_DAYS } from './activity.js';
import { Attention } from './attention.js';
import { firstAdvice, isOwnAgent } from './first-steps.js';
import { FIRST_RUNS, GettingStarted } from './getting-started.js';
import styles from './overview.module.css';

const LATEST_RUNS = 8;
/** With fewer ended runs, the page begins with the first steps. */
const FEW_RUNS = 10;

export function OverviewPage(): ReactNode {
  const statistics = useStatistics({ group_by: 'status', since: daysAgo(SHOWN_DAYS) });
  const { data: latest } = useLatestRuns({ limit: LATEST_RUNS });
  useRefreshOnRuns(FIRST_RUNS.queryKey);
  const hasOwnAgent = useAgents().some(isOwnAgent);
  const ended = statistics?.reduce((sum, { runs }) => sum + runs, 0) ?? 0;
  const isYoung = ended < FEW_RUNS;
  const hasEnded = ended > 0;
  const hasRun = hasEnded || (latest !== undefined && latest.data.length > 0);
  const isNew = !hasRun || (isYoung && !hasOwnAgent);
  const isRead = statistics !== undefined && latest !== undefined;
  return (
    <Page title="Overview" busy={statistics === undefined}>
      {isRead && isNew && <Introduction hasEnded={hasEnded} />}
      <Attention hideEmpty={isNew} />
      {statistics && isYoung && <GettingStarted />}
      {statistics && hasRun && <Activity statistics={statistics} />}
      {!isYoung && <GettingStarted />}
      <LatestRuns
        limit={LATEST_RUNS}
        hideEmpty={!hasEnded}
        links={<Link to="/runs">All runs</Link>}
        empty={
          <p>
            Runs appear here with their input, status and cost. Start one on the page of an{' '}
            <Link to="/agents">agent</Link>.
          </p>
        }
      />
    </Page>
  );
}

/** Says to a new person what the console is for and what comes first. */
function Introduction({ hasEnded }: { hasEnded: boolean }): ReactNode {
  const [agent] = useAgents();
  const { data: runs } = useQuery(FIRST_RUNS);
  const mayCreate = useRefusal('agents:write') === null;
  const mayRun = useRefusal('agents:run') === null;
  const hasRun = runs !== undefined && runs.data.length > 0;
  const advice = firstAdvice({ hasAgent: agent !== undefined, hasRun, hasEnded, mayRun, mayCreate });
  const link = agent && (
    <Link to="/agents/$id" params={{ id: agent.id }}>
      {agent.name}
    </Link>
  );
  return (
    <p className={styles.introduction}>
      Agents do work in your systems as their definitions say: they call tools and models, ask people before they act,
      and record each step.{' '}
      {advice === 'test' && <>First, start a test run of {link}, which simulates write operations.</>}
      {advice === 'production' && <>Next, start a production run of {link}. Test runs do not appear on this page.</>}
      {advice === 'look' && <>The page of {link} shows what it does. Production runs appear on this page.</>}
      {advice === 'create' && (
        <>
          First, <Link to="/agents/new">create an agent</Link> from an example.
        </>
      )}
      {advice === 'wait' && 'A builder or an admin creates the first agent.'}
    </p>
  );
}
