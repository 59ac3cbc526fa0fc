import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { daysAgo, OPEN_APPROVALS, useStatistics } from '../agents/health.js';
import { useMissingGroups } from '../agents/missing-groups.js';
import { ApprovalTitle } from '../approvals/approval-title.js';
import { useAgents } from '../data/agent-names.js';
import { aas, type Run } from '../data/api.js';
import { useCaller, useWorkspace } from '../data/session.js';
import { useSourceTitle } from '../knowledge/knowledge-queries.js';
import { useRefreshOnRuns, useWaitingApprovals } from '../live/changes.js';
import { BulkButton } from '../runs/bulk-button.js';
import { upTo99 } from '../ui/format-values.js';
import { Card, Empty } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { StatusIcon } from '../ui/status.js';
import { Time, useNow } from '../ui/time.js';
import {
  approvalEntries,
  budgetEntries,
  type AttentionEntry,
  endpointEntries,
  type Failing,
  failingAgents,
  failureEntries,
  fileEntries,
  groupEntries,
  modelEntries,
  sourceEntries,
} from './attention-entries.js';
import styles from './overview.module.css';

/** `hideEmpty`: in a workspace without a production run, a card that says that nothing needs attention is no help. */
export function Attention({ hideEmpty }: { hideEmpty: boolean }): ReactNode {
  const mine = useWaitingApprovals();
  const approvals = useApprovalEntries();
  const problems = useProblems();
  const error = approvals.error ?? problems.error ?? undefined;
  const waiting: AttentionEntry = {
    key: 'mine',
    status: 'waiting_approval',
    subject: mine === 1 ? '1 approval' : `${upTo99(mine)} approvals`,
    text: mine === 1 ? 'waits for you' : 'wait for you',
    path: '/approvals',
  };
  const all = [...(mine > 0 ? [waiting] : []), ...approvals.entries, ...problems.entries];
  if (hideEmpty && all.length === 0 && error === undefined) return null;
  return (
    <Card title="Needs attention" flush={error === undefined}>
      <ProblemAlert error={error} />
      {approvals.isComplete && problems.isComplete && all.length === 0 && (
        <Empty title="Nothing needs attention">
          <p>Approvals that expire soon, failed runs, spent budgets, and sources with errors appear here.</p>
        </Empty>
      )}
      <AttentionList label="Needs attention" entries={all} />
    </Card>
  );
}

export function AttentionList({ label, entries }: { label: string; entries: readonly AttentionEntry[] }): ReactNode {
  return (
    <ul className={styles.list} aria-label={label}>
      {entries.map((entry) => (
        <Row key={entry.key} entry={entry} />
      ))}
    </ul>
  );
}

function Row({ entry }: { entry: AttentionEntry }): ReactNode {
  const { status, subject, approval, text, detail, path, search = {}, hash, isReplayable, time } = entry;
  return (
    <li className={styles.row}>
      <StatusIcon value={status} />
      <div className={styles.what}>
        <Link to="/$" params={{ _splat: path.slice(1) }} search={search} hash={hash}>
          <strong>{approval ? <ApprovalTitle approval={approval} /> : subject}</strong> {text}
        </Link>
        {detail !== undefined && <p title={detail}>{detail}</p>}
      </div>
      {time && (
        <span className={styles.side}>
          {time[0]} <Time at={time[1]} />
        </span>
      )}
      {isReplayable && <BulkButton action="replay" runs={{ search }} />}
    </li>
  );
}

const MINUTE = 60_000;
/** Maximum number of knowledge bases whose sources the overview checks. */
const MAX_BASES = 20;

/** Reads the open approvals of production runs that soon expire, ask about an unknown outcome, or that none can decide. */
function useApprovalEntries(): Entries {
  const now = useNow(MINUTE);
  const { data, error, isSuccess } = useQuery(OPEN_APPROVALS);
  const approvals = data?.data ?? [];
  const missing = useMissingGroups(approvals.flatMap(({ approvers }) => approvers));
  return {
    entries: [...groupEntries(approvals, missing), ...approvalEntries(approvals, now)],
    isComplete: isSuccess,
    error,
  };
}

interface Entries {
  entries: AttentionEntry[];
  isComplete: boolean;
  error: Error | null;
}

/** Returns the filters of the production runs that failed in the last 24 hours. */
export function failedOfDay(): { status: ['failed']; mode: 'production'; since: string } {
  return { status: ['failed'], mode: 'production', since: daysAgo(1) };
}

/** Reads what is wrong in the workspace: failed runs, sources, endpoints, files and models. */
export function useProblems(): Entries {
  const now = useNow(MINUTE);
  const failed = useQuery({
    queryKey: ['runs', 'failed'],
    queryFn: () => aas.runs.list({ ...failedOfDay(), limit: 100 }),
  });
  useRefreshOnRuns(['runs', 'failed']);
  const failing = useFailing(failed.data?.data ?? []);
  const isManager = useCaller()?.scopes.includes('webhooks:manage') ?? false;
  const endpoints = useQuery({
    queryKey: ['webhook-endpoints', 'overview'],
    queryFn: () => aas.webhookEndpoints.list({ limit: 100 }),
    enabled: isManager,
    staleTime: MINUTE,
  });
  const models = useQuery({ queryKey: ['models'], queryFn: () => aas.models.list(), staleTime: MINUTE });
  const workspace = useWorkspace();
  const agents = useAgents();
  const sources = useSourceEntries();
  return {
    entries: [
      ...fileEntries(workspace),
      ...failureEntries(failing),
      ...budgetEntries(agents),
      ...modelEntries(models.data?.data ?? [], now),
      ...sources,
      ...endpointEntries(endpoints.data?.data ?? []),
    ],
    isComplete: failed.isSuccess,
    error: failed.error,
  };
}

/** Maximum number of failing agents whose latest failed run is read separately. */
const MAX_SAMPLES = 10;

/** Completes the newest failed runs, which can be of one agent only, with the sums and a run of every other agent. */
function useFailing(newest: readonly Run[]): Failing[] {
  const sums = useStatistics({ bucket: '1h', group_by: 'agent', since: daysAgo(1) });
  const failing = failingAgents(sums ?? [], newest);
  const samples = useQueries({
    queries: failing
      .filter((each) => each.newest === undefined)
      .slice(0, MAX_SAMPLES)
      .map(({ agent }) => ({
        queryKey: ['runs', 'failed', agent],
        queryFn: () => aas.runs.list({ ...failedOfDay(), agent, limit: 1 }),
        staleTime: MINUTE,
      })),
  });
  const read = new Map(samples.flatMap(({ data }) => data?.data ?? []).map((run) => [run.agent, run]));
  return failing.map((each) => ({ ...each, newest: each.newest ?? read.get(each.agent) }));
}

function useSourceEntries(): AttentionEntry[] {
  const titleOf = useSourceTitle();
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
  return sources.flatMap((each) => sourceEntries(each.data?.data ?? [], names, titleOf));
}
