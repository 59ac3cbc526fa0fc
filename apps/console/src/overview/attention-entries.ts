import type { aas, Approval, CatalogModel, Run } from '../data/api.js';
import type { Search } from '../data/search.js';

export type Source = Awaited<ReturnType<typeof aas.sources.list>>['data'][number];
export type Endpoint = Awaited<ReturnType<typeof aas.webhookEndpoints.list>>['data'][number];

/** A problem or task, with a link to the page where a person can resolve it. */
export interface AttentionEntry {
  key: string;
  /** Name of a status in the API. It determines the icon of the entry. */
  status: string;
  text: string;
  path: string;
  search?: Search;
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
    .map((approval) => ({
      key: approval.id,
      status: approval.kind === 'in_doubt' ? 'in_doubt' : 'open',
      text:
        approval.kind === 'in_doubt'
          ? `${approval.agent_name}: did ${approval.tool ?? 'the call'} take effect?`
          : `${approval.agent_name}: ${approval.tool ?? approval.policy} needs approval`,
      path: `/approvals/${approval.id}`,
      time: ['expires', approval.expires_at],
    }));
}

/** Returns one entry for each agent with failed runs. The agent with the latest failure comes first. */
export function failureEntries(failed: readonly Run[]): AttentionEntry[] {
  const byAgent = new Map<string, Run[]>();
  for (const run of failed) byAgent.set(run.agent, [...(byAgent.get(run.agent) ?? []), run]);
  return [...byAgent].map(([agent, runs]) => {
    const [newest] = runs;
    const many = runs.length > 99 ? '99+' : runs.length;
    const error = newest?.error?.message;
    return {
      key: agent,
      status: 'failed',
      text: `${newest?.agent_name ?? agent}: ${many} failed ${runs.length === 1 ? 'run' : 'runs'} in 24 hours${error === undefined ? '' : `. ${error}`}`,
      path: '/runs',
      search: { agent, status: 'failed', since: '24h' },
      ...(newest?.ended_at && { time: ['last', newest.ended_at] as const }),
    };
  });
}

const NOTICE_MILLIS = 90 * 86_400_000;

/** Returns an entry if the storage has lost the bytes of files. */
export function fileEntries(workspace: { files: { missing: number } } | undefined): AttentionEntry[] {
  const missing = workspace?.files.missing ?? 0;
  if (missing === 0) return [];
  const text = missing === 1 ? '1 file has lost its bytes' : `${missing} files have lost their bytes`;
  return [
    { key: 'files', status: 'error', text: `${text}. Restore the storage from a backup`, path: '/settings/files' },
  ];
}

/** Returns an entry for each model in use that its provider switches off within 90 days, or has switched off. */
export function modelEntries(models: readonly CatalogModel[], now: number): AttentionEntry[] {
  return models.flatMap(({ provider, name, ends_at: end, used_by: users }) => {
    const left = end === null ? Infinity : Date.parse(`${end}T00:00:00Z`) - now;
    if (end === null || users === 0 || left >= NOTICE_MILLIS) return [];
    const who = users === 1 ? '1 agent uses' : `${users} agents use`;
    const when = left > 0 ? `ends on ${end}` : `ended on ${end}`;
    const key = `${provider}/${name}`;
    return [{ key, status: left > 0 ? 'ending' : 'ended', text: `${who} ${key}, which ${when}`, path: '/agents' }];
  });
}

export function sourceEntries(sources: readonly Source[], baseNames: ReadonlyMap<string, string>): AttentionEntry[] {
  return sources.flatMap((source) => {
    const base = baseNames.get(source.knowledge_base) ?? source.knowledge_base;
    const entry = { key: source.id, path: `/knowledge/${source.knowledge_base}` };
    if (source.authorization === 'expired')
      return [{ ...entry, status: 'expired', text: `${base}: the permission of ${source.connector} has expired` }];
    if (source.status !== 'error') return [];
    const detail = source.error === null ? '' : `. ${source.error.message}`;
    return [{ ...entry, status: 'error', text: `${base}: the last sync of ${source.connector} failed${detail}` }];
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
      text:
        status === 'disabled' ? `${url} was disabled because its deliveries failed` : `${url} does not accept events`,
      path: `/settings/webhooks/${id}`,
      ...(since !== null && { time: ['since', since] as const }),
    }));
}
