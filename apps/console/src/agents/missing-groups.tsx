import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas, isNotFound } from '../data/api.js';
import { useCaller } from '../data/session.js';
import { groupsOf } from '../plan/definition-needs.js';
import { actionLink } from '../ui/button.js';
import { Notice } from '../ui/notice.js';

/** Names the groups that the definition refers to and that do not exist. Only admins may read groups. */
export function MissingGroups({ definition }: { definition: unknown }): ReactNode {
  const mayRead = useCaller()?.scopes.includes('members:manage') ?? false;
  const groups = groupsOf(definition);
  const reads = useQueries({
    queries: groups.map((group) => ({
      queryKey: ['groups', group],
      queryFn: () => aas.groups.get(group),
      enabled: mayRead,
    })),
  });
  return groups
    .filter((_, index) => isNotFound(reads[index]?.error))
    .map((group) => (
      <Notice key={group} tone="amber" title={`The group ${group} is missing`}>
        <p>
          No person can act for it, so approvals and questions that only this group may decide expire. Create the group
          with the people who decide.
        </p>
        <Link className={actionLink} to="/settings/groups" search={{ name: group }} hash="create-group">
          Create group
        </Link>
      </Notice>
    ));
}
