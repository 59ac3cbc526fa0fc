import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { aas, type Caller } from '../data/api.js';
import { useCaller } from '../data/session.js';
import type { WorkspaceNames } from './reference-completion.js';

/** Maximum number of names of one kind that the editor offers. */
const MAX_NAMES = 1_000;
const MINUTE = 60_000;

type Scope = Caller['scopes'][number];
type Read = () => AsyncIterable<{ name: string }>;

const LISTS: readonly (readonly [kind: keyof WorkspaceNames, scope: Scope, read: Read])[] = [
  ['secrets', 'secrets:write', () => aas.secrets.list({ limit: 100 })],
  ['groups', 'members:manage', () => aas.groups.list({ limit: 100 })],
  ['bases', 'knowledge:read', () => aas.knowledgeBases.list({ limit: 100 })],
  ['connections', 'connections:read', () => aas.connections.list({ limit: 100 })],
  ['agents', 'agents:read', () => aas.agents.list({ limit: 100 })],
];

/** Returns the names that a definition can refer to. A list is empty while it is read, or if the person may not read it. */
export function useWorkspaceNames(): WorkspaceNames {
  const scopes = useCaller()?.scopes;
  const results = useQueries({
    queries: LISTS.map(([kind, scope, read]) => ({
      queryKey: ['names', kind],
      queryFn: () => collect(read()),
      enabled: scopes?.includes(scope) === true,
      staleTime: MINUTE,
    })),
  });
  const text = JSON.stringify(results.map(({ data }) => data ?? []));
  return useMemo(() => {
    const lists = JSON.parse(text) as string[][];
    const namesOf = (kind: keyof WorkspaceNames): string[] => lists[LISTS.findIndex(([each]) => each === kind)] ?? [];
    return {
      secrets: namesOf('secrets'),
      groups: namesOf('groups'),
      bases: namesOf('bases'),
      connections: namesOf('connections'),
      agents: namesOf('agents'),
    };
  }, [text]);
}

async function collect(items: AsyncIterable<{ name: string }>): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of items) {
    names.push(name);
    if (names.length === MAX_NAMES) break;
  }
  return names;
}
