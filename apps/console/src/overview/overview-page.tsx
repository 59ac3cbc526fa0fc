import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { daysAgo, useStatistics } from '../agents/health.js';
import { useAgents } from '../data/agent-names.js';
import { useRefusal } from '../data/session.js';
import { LatestRuns } from '../runs/latest-runs.js';
import { Page } from '../ui/page.js';
import { Activity, SHOWN_DAYS } from './activity.js';
import { Attention } from './attention.js';
import { GettingStarted } from './getting-started.js';
import styles from './overview.module.css';

const LATEST_RUNS = 8;

export function OverviewPage(): ReactNode {
  const statistics = useStatistics({ group_by: 'status', since: daysAgo(SHOWN_DAYS) });
  return (
    <Page title="Overview" busy={statistics === undefined}>
      {statistics?.length === 0 && (
        <>
          <Introduction />
          <GettingStarted />
        </>
      )}
      <Attention />
      {statistics && <Activity statistics={statistics} />}
      {statistics && statistics.length > 0 && <GettingStarted />}
      <LatestRuns
        limit={LATEST_RUNS}
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

/** Says to a person who sees no production run what the console is for and what comes first. */
function Introduction(): ReactNode {
  const [first] = useAgents();
  const mayCreate = useRefusal('agents:write') === null;
  return (
    <p className={styles.introduction}>
      Agents do work in your systems as their definitions say: they call tools and models, ask people before they act,
      and record each step.{' '}
      {first !== undefined && (
        <>
          First, start a test run of{' '}
          <Link to="/agents/$id" params={{ id: first.id }}>
            {first.name}
          </Link>
          , which simulates write operations.
        </>
      )}
      {first === undefined &&
        (mayCreate ? (
          <>
            First, <Link to="/agents/new">create an agent</Link> from an example.
          </>
        ) : (
          'A builder or an admin creates the first agent.'
        ))}
    </p>
  );
}
