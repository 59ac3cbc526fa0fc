import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Page } from '../../../../packages/sdk/src/index.js';
import { aas, type Run } from '../data/api.js';
import { useRefreshOnRuns } from '../live/changes.js';
import { Card, Empty } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import styles from './runs.module.css';
import { RunsTable } from './runs-table.js';

export interface LatestRunsProps {
  limit: number;
  /** Id of the agent whose runs are shown. */
  agent?: string;
  /** Links beside the title. */
  links: ReactNode;
  /** Shown if there is no run at all. */
  empty?: ReactNode;
  hideEmpty?: boolean;
}

interface Latest {
  limit: number;
  agent?: string | undefined;
  withTests?: boolean;
}

/** The rows, for a page that also depends on whether there are any. */
export function useLatestRuns({ limit, agent, withTests = false }: Latest): UseQueryResult<Page<Run>> {
  return useQuery({
    queryKey: [...latestKey(agent), withTests],
    queryFn: () =>
      aas.runs.list({ limit, ...(agent !== undefined && { agent }), ...(!withTests && { mode: 'production' }) }),
    placeholderData: keepPreviousData,
  });
}

const latestKey = (agent?: string): readonly unknown[] => ['runs', 'latest', agent ?? 'all'];

/** The newest runs. Test runs, which each evaluation starts many of, appear only if the person asks for them. */
export function LatestRuns({ limit, agent, links, empty, hideEmpty = false }: LatestRunsProps): ReactNode {
  const [withTests, setWithTests] = useState(false);
  const { data, error } = useLatestRuns({ limit, agent, withTests });
  useRefreshOnRuns(latestKey(agent), agent);
  if (hideEmpty && !withTests && data?.data.length === 0) return null;
  return (
    <Card
      title="Latest runs"
      flush
      actions={
        <span className={styles.latestActions}>
          <label>
            <input type="checkbox" checked={withTests} onChange={(event) => setWithTests(event.target.checked)} />
            With test runs
          </label>
          {links}
        </span>
      }
    >
      <ProblemAlert error={error} />
      {data &&
        (data.data.length > 0 ? (
          <RunsTable compact={agent !== undefined} runs={data.data} />
        ) : (
          <Empty title={withTests ? 'No run yet' : 'No production run yet'}>{empty}</Empty>
        ))}
    </Card>
  );
}
