import { healthOf, type RunStatistic } from '../agents/run-statistic.js';
import { approvalTitle } from '../approvals/approval-view.js';
import { budgetText, isNearLimit } from '../agents/budget-text.js';
import type { aas, Agent, Approval, CatalogModel, Run } from '../data/api.js';
import type { Search } from '../data/search.js';
import { formatCount } from '../ui/format-values.js';

export type Source = Awaited<ReturnType<typeof aas.sources.list>>['data'][number];
export type Endpoint = Awaited<ReturnType<typeof aas.webhookEndpoints.list>>['data'][number];

/** A problem or task, with a link to the page where a person can resolve it. */
export interface AttentionEntry {
  key: string;
  /** Name of a status in the API. It determines the icon of the entry. */
  status: string;
  /** What the entry is about, for example an agent. */
  subject: string;
  /** Set if the entry is about an approval. The title of the approval then replaces the subject. */
  approval?: Approval;
  text: string;
  /** Error message, which can be long. */
  detail?: string;
  path: string;
  search?: Search;
  hash?: string;
  /** True if the entry is about failed runs, which can be replayed. `search` filters them. */
  isReplayable?: boolean;
  /** Time of the entry, and the word that is shown before it, for example `expires`. */
  time?: readonly [word: string, at: string];
}

const SOON_MILLIS = 4 * 3_600_000;

/**
 * Returns an entry for each open approval that expires within four hours. Also returns each question about a tool call
 * with unknown outcome, whatever its deadline.
 */
export function approvalEntries(approvals: readonly Approval[], now: number): AttentionEntry[] {
  return approvals
    .filter(({ kind, expires_at: at }) => kind === 'in_doubt' || Date.parse(at) - now < SOON_MILLIS)
    .map(approvalEntry);
}

export function approvalEntry(approval: Approval): AttentionEntry {
  return {
    key: approval.id,
    status: approval.kind === 'in_doubt' ? 'in_doubt' : 'open',
    subject: approvalTitle(approval),
    approval,
    text: approval.agent_name,
    path: `/approvals/${approval.id}`,
    time: ['expires', approval.expires_at],
  };
}

/** Returns an entry for each group that does not exist and that open approvals wait for. */
export function groupEntries(
  approvals: readonly Pick<Approval, 'approvers'>[],
  missing: readonly string[],
): AttentionEntry[] {
  return missing.map((group) => {
    const count = approvals.filter(({ approvers }) => approvers.includes(group)).length;
    return {
      key: `group ${group}`,
      status: 'error',
      subject: `The group ${group}`,
      text: `does not exist. ${count === 1 ? '1 open approval names' : `${count} open approvals name`} it. Create the group`,
      path: '/settings/groups',
      search: { name: group },
      hash: 'create-group',
    };
  });
}

/** The failed runs of one agent in the last 24 hours. */
export interface Failing {
  agent: string;
  name: string;
  failed: number;
  /** Its latest failed run, once it is known. */
  newest?: Run | undefined;
}

/**
 * Returns the agents with failed runs. The sums count all runs, but some seconds after their end; `newest` has the runs
 * that failed last.
 */
export function failingAgents(sums: readonly RunStatistic[], newest: readonly Run[]): Failing[] {
  const failing = new Map<string, Failing>();
  for (const run of newest) {
    const before = failing.get(run.agent) ?? { agent: run.agent, name: run.agent_name, failed: 0, newest: run };
    failing.set(run.agent, { ...before, failed: before.failed + 1 });
  }
  const names = new Map(sums.map(({ agent, agent_name: name }) => [agent, name]));
  for (const [agent, { failed }] of healthOf(sums)) {
    const known = failing.get(agent);
    if (failed > (known?.failed ?? 0)) failing.set(agent, { name: names.get(agent) ?? agent, ...known, agent, failed });
  }
  return [...failing.values()];
}

export function failureEntries(failing: readonly Failing[]): AttentionEntry[] {
  return failing.map(({ agent, name, failed, newest }) => ({
    key: agent,
    status: 'failed',
    subject: name,
    text: `${formatCount(failed)} failed ${failed === 1 ? 'run' : 'runs'} in 24 hours`,
    ...(newest?.error && { detail: newest.error.message }),
    path: '/runs',
    search: { agent, status: 'failed', mode: 'production', since: '24h' },
    isReplayable: true,
    ...(newest?.ended_at && { time: ['last', newest.ended_at] as const }),
  }));
}

/** Returns an entry for each agent that has spent most of its daily budget. */
export function budgetEntries(agents: readonly Pick<Agent, 'id' | 'name' | 'budget'>[]): AttentionEntry[] {
  return agents.flatMap(({ id, name, budget }) => {
    if (budget === null || !isNearLimit(budget)) return [];
    const isUsedUp = Number(budget.spent_today) >= Number(budget.per_day);
    return {
      key: `budget ${id}`,
      status: isUsedUp ? 'error' : 'ending',
      subject: name,
      text: `has spent ${budgetText(budget)} of its budget of today`,
      path: `/agents/${id}`,
      time: ['begins again', budget.resets_at] as const,
    };
  });
}

const NOTICE_MILLIS = 90 * 86_400_000;

/** Returns an entry if the storage has lost the bytes of files. */
export function fileEntries(workspace: { files: { missing: number } } | undefined): AttentionEntry[] {
  const missing = workspace?.files.missing ?? 0;
  if (missing === 0) return [];
  const text = `${missing === 1 ? '1 has lost its bytes' : `${missing} have lost their bytes`}. Restore the storage from a backup`;
  return [{ key: 'files', status: 'error', subject: 'Files', text, path: '/settings/files' }];
}

/** Returns an entry for each model in use that its provider switches off within 90 days, or has switched off. */
export function modelEntries(models: readonly CatalogModel[], now: number): AttentionEntry[] {
  return models.flatMap(({ provider, name, ends_at: end, used_by: users }) => {
    const left = end === null ? Infinity : Date.parse(`${end}T00:00:00Z`) - now;
    if (end === null || users === 0 || left >= NOTICE_MILLIS) return [];
    const who = users === 1 ? '1 agent uses it' : `${users} agents use it`;
    const text = `${left > 0 ? 'ends' : 'ended'} on ${end}. ${who}`;
    const key = `${provider}/${name}`;
    return [{ key, status: left > 0 ? 'ending' : 'ended', subject: key, text, path: '/agents' }];
  });
}

export function sourceEntries(
  sources: readonly Source[],
  baseNames: ReadonlyMap<string, string>,
  titleOf: (source: Source) => string,
): AttentionEntry[] {
  return sources.flatMap((source) => {
    const base = baseNames.get(source.knowledge_base) ?? source.knowledge_base;
    const search = { tab: 'sources' };
    const entry = { key: source.id, subject: base, path: `/knowledge/${source.knowledge_base}`, search };
    if (source.authorization === 'expired')
      return [{ ...entry, status: 'expired', text: `the permission of ${titleOf(source)} has expired` }];
    if (source.status !== 'error') return [];
    const detail = source.error === null ? {} : { detail: source.error.message };
    return [{ ...entry, ...detail, status: 'error', text: `the last sync of ${titleOf(source)} failed` }];
  });
}

export function endpointEntries(endpoints: readonly Endpoint[]): AttentionEntry[] {
  return endpoints
    .filter(
      ({ failing_since: since, disabled_reason: reason }) =>
        since !== null || reason === 'failing' || reason === 'gone',
    )
    .map(({ id, url, status, failing_since: since }) => ({
      key: id,
      status: 'error',
      subject: url,
      text: status === 'disabled' ? 'was disabled because its deliveries failed' : 'does not accept events',
      path: `/settings/webhooks/${id}`,
      ...(since !== null && { time: ['since', since] as const }),
    }));
}
