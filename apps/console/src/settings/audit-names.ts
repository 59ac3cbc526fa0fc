import { useQueries, useQuery } from '@tanstack/react-query';
import { approvalTitle } from '../approvals/approval-view.js';
import { useAgents } from '../data/agent-names.js';
import { aas, type AuditEvent } from '../data/api.js';
import { useSourceTitle } from '../knowledge/knowledge-queries.js';

/** The names of things by their ids, and the knowledge base of each source. */
export interface AuditNames {
  names: ReadonlyMap<string, string>;
  bases: ReadonlyMap<string, string>;
}

const KNOWN = { limit: 100 } as const;

/** Reads the names of the targets. A target that is not among the first 100 of its kind has the name in its event. */
export function useAuditNames(events: readonly AuditEvent[], enabled: boolean): AuditNames {
  const agents = useAgents();
  const bases = useQuery({ queryKey: ['audit-bases'], queryFn: () => aas.knowledgeBases.list(KNOWN), enabled });
  const named = (kind: string, queryFn: () => Promise<[id: string, name: string][]>) => ({
    queryKey: ['audit-names', kind],
    queryFn,
    enabled,
  });
  const lists = useQueries({
    queries: [
      named('approvals', async () =>
        (await aas.approvals.list(KNOWN)).data.map((each) => [each.id, approvalTitle(each)]),
      ),
      named('connections', async () => (await aas.connections.list(KNOWN)).data.map(({ id, name }) => [id, name])),
      named('endpoints', async () => (await aas.webhookEndpoints.list(KNOWN)).data.map(({ id, url }) => [id, url])),
      named('keys', async () => (await aas.apiKeys.list(KNOWN)).data.map(({ id, name }) => [id, name])),
    ],
  });
  const titleOf = useSourceTitle();
  // The sources of a knowledge base are listed only if an event names a source.
  const hasSources = events.some((event) => /\bsrc_/.test(JSON.stringify(event)));
  const sources = useQueries({
    queries: (bases.data?.data ?? []).map(({ id }) => ({
      queryKey: ['audit-sources', id],
      queryFn: () => aas.sources.list(id, KNOWN),
      enabled: hasSources,
    })),
  }).flatMap(({ data }) => data?.data ?? []);
  return {
    names: new Map([
      ...[...agents, ...(bases.data?.data ?? [])].map(({ id, name }) => [id, name] as const),
      ...lists.flatMap(({ data = [] }) => data),
      ...sources.map((source) => [source.id, titleOf(source)] as const),
    ]),
    bases: new Map(sources.map(({ id, knowledge_base: base }) => [id, base])),
  };
}
