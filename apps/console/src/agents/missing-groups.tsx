import { useQueries } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas, isNotFound } from '../data/api.js';
import { useCaller } from '../data/session.js';
import { actionLink } from '../ui/button.js';
import { Notice } from '../ui/notice.js';

/** Returns those of the groups that do not exist. Only admins may read groups: for others, none is missing. */
export function useMissingGroups(names: readonly string[]): string[] {
  const mayRead = useCaller()?.scopes.includes('members:manage') ?? false;
  const groups = [...new Set(names)];
  const reads = useQueries({
    queries: groups.map((group) => ({
      queryKey: ['groups', group],
      queryFn: () => aas.groups.get(group),
      enabled: mayRead,
    })),
  });
  return groups.filter((_, index) => isNotFound(reads[index]?.error));
}

interface MissingGroupsProps {
  groups: readonly string[];
  /** What the missing group causes, and what to do. */
  effect?: string;
}

const NO_DECISION =
  'No person can act for it, so approvals and questions that only this group may decide expire. Create the group with the people who decide.';

/** Names those of the groups that do not exist. */
export function MissingGroups({ groups, effect = NO_DECISION }: MissingGroupsProps): ReactNode {
  const { pathname, searchStr } = useLocation();
  const from = pathname + searchStr;
  return useMissingGroups(groups).map((group) => (
    <Notice key={group} tone="amber" title={`The group ${group} does not exist`}>
      <p>{effect}</p>
      <Link className={actionLink} to="/settings/groups" search={{ name: group, from }} hash="create-group">
        Create group
      </Link>
    </Notice>
  ));
}
