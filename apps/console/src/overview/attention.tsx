import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { daysAgo } from '../agents/health.js';
import { aas } from '../data/api.js';
import { useCaller, useWorkspace } from '../data/session.js';
import { useChanges, useRefreshOnRuns } from '../live/changes.js';
import { Card, Empty } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { Time, useNow } from '../ui/time.js';
import {
  approvalEntries,
  type AttentionEntry,
  endpointEntries,
  failureEntries,
  fileEntries,
  modelEntries,
  sourceEntries,
} from './attention-entries.js';
import styles from './overview.module.css';

export function Attention(): ReactNode {
  const mine = useChanges()?.approvals_mine ?? 0;
  const { entries, isComplete, error } = useEntries();
  const waiting: AttentionEntry[] =
    mine === 0
      ? []
      : [
          {
            key: 'mine',
            status: 'waiting_approval',
            text: mine === 1 ? '1 approval waits for you' : `${mine > 99 ? '99+' : mine} approvals wait for you`,
            path: '/approvals',
          },
        ];
  const all = [...waiting, ...entries];
  return (
    <Card title="Needs attention" flush={error === undefined}>
      <ProblemAlert error={error} />
      {isComplete && all.length === 0 && <Empty title="Nothing needs attention" />}
      <ul className={styles.list} aria-label="Needs attention">
        {all.map(({ key, status, text, path, search, time }) => (
          <li key={key}>
            <Status value={status} />
            <Link to="/$" params={{ _splat: path.slice(1) }} search={search ?? {}}>
              {text}
            </Link>
            {time && (
              <span className={styles.side}>
                {time[0]} <Time at={time[1]} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}

const MINUTE = 60_000;
/** Maximum number of knowledge bases whose sources the overview checks. */
const MAX_BASES = 20;

function useEntries(): { entries: AttentionEntry[]; isComplete: boolean; error: unknown } {
  const now = useNow(MINUTE);
  const approvals = useQuery({
    queryKey: ['approvals', 'overview'],
    queryFn: () => aas.approvals.list({ status: ['open'], sort: 'expires_at', order: 'asc', limit: 100 }),
  });
  const failed = useQuery({
    queryKey: ['runs', 'failed'],
    queryFn: () => aas.runs.list({ status: ['failed'], since: daysAgo(1), limit: 100 }),
  });
  useRefreshOnRuns(['runs', 'failed']);
  const isManager = useCaller()?.scopes.includes('webhooks:manage') ?? false;
  const endpoints = useQuery({
    queryKey: ['webhook-endpoints', 'overview'],
    queryFn: () => aas.webhookEndpoints.list({ limit: 100 }),
    enabled: isManager,
    staleTime: MINUTE,
  });
  const models = useQuery({
    queryKey: ['models'],
    queryFn: () => aas.models.list(),
    staleTime: MINUTE,
  });
  const workspace = useWorkspace();
  const sources = useSourceEntries();
  return {
    entries: [
      ...approvalEntries(approvals.data?.data ?? [], now),
      ...fileEntries(workspace),
      ...failureEntries(failed.data?.data ?? []),
      ...modelEntries(models.data?.data ?? [], now),
      ...sources,
      ...endpointEntries(endpoints.data?.data ?? []),
    ],
    isComplete: approvals.isSuccess && failed.isSuccess,
    error: approvals.error ?? failed.error ?? undefined,
  };
}

function useSourceEntries(): AttentionEntry[] {
  const { data } = useQuery({
    queryKey: ['knowledge-bases', 'overview'],
    queryFn: () => aas.knowledgeBases.list({ limit: MAX_BASES }),
    staleTime: MINUTE,
  });
  const bases = data?.data ?? [];
  const sources = useQueries({
    queries: bases.map(({ id }) => ({
      queryKey: ['knowledge-bases', id, 'sources', 'overview'],
      queryFn: () => aas.sources.list(id, { limit: 100 }),
      staleTime: MINUTE,
    })),
  });
  const names = new Map(bases.map(({ id, name }) => [id, name]));
  return sources.flatMap((each) => sourceEntries(each.data?.data ?? [], names));
}
