import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas, type Approval } from '../data/api.js';
import { useChanges } from '../live/changes.js';
import { neighboursOf } from '../runs/last-list.js';
import { upTo99 } from '../ui/format-values.js';
import { Neighbours } from '../ui/neighbours.js';
import { ApprovalTitle } from './approval-title.js';
import styles from './approvals.module.css';

const LIMIT = 100;

/** Returns the open approvals that the person may decide, the one that expires first at the top. */
function useMine(): readonly Approval[] | undefined {
  const query = { mine: true, sort: 'expires_at', order: 'asc', limit: LIMIT } as const;
  return useQuery({ queryKey: ['approvals', 'mine'], queryFn: () => aas.approvals.list(query) }).data?.data;
}

/** Links to the previous and next approval that the person may decide. */
export function ApprovalNeighbours({ approval }: { approval: string }): ReactNode {
  const ids = (useMine() ?? []).map(({ id }) => id);
  const { previous, next } = ids.includes(approval)
    ? neighboursOf(approval, ids)
    : { previous: undefined, next: ids[0] };
  return <Neighbours to="/approvals/$id" noun="approval" previous={previous} next={next} />;
}

/** Leads from a decided approval to the one that expires next, or back to the list. */
export function NextApproval({ after }: { after: string }): ReactNode {
  const mine = useMine();
  const open = useChanges()?.approvals_mine ?? 0;
  if (mine === undefined) return null;
  const next = mine.find(({ id }) => id !== after);
  if (next === undefined)
    return (
      <p>
        Nothing else waits for you. <Link to="/approvals">Open approvals</Link>
      </p>
    );
  const count = Math.max(open, mine.length);
  return (
    <p className={styles.next}>
      Next:{' '}
      <Link to="/approvals/$id" params={{ id: next.id }}>
        <ApprovalTitle approval={next} />
      </Link>{' '}
      <Link to="/approvals">{upTo99(count)} open</Link>
    </p>
  );
}

/** Leads to the open approvals of test runs, which the counts do not contain. */
export function TestApprovals(): ReactNode {
  const count = useChanges()?.approvals_mine_test ?? 0;
  if (count === 0) return null;
  return (
    <Link to="/approvals" search={{ mode: 'test' }}>
      {count === 1 ? '1 approval of a test run' : `${upTo99(count)} approvals of test runs`}
    </Link>
  );
}
