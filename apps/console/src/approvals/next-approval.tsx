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

/**
 * Returns the open approvals of runs in this mode that the person may decide, the one that expires first at the top. A
 * decision about a production run never leads to an approval of a test run.
 */
function useMine(mode: Approval['mode'] | undefined): readonly Approval[] | undefined {
  const query = { mine: true, sort: 'expires_at', order: 'asc', limit: LIMIT, ...(mode && { mode }) } as const;
  const queryKey = ['approvals', 'mine', mode];
  return useQuery({ queryKey, queryFn: () => aas.approvals.list(query), enabled: mode !== undefined }).data?.data;
}

/** Links to the previous and next approval that the person may decide. */
export function ApprovalNeighbours({ approval, mode }: { approval: string; mode?: Approval['mode'] }): ReactNode {
  const ids = (useMine(mode) ?? []).map(({ id }) => id);
  const { previous, next } = ids.includes(approval)
    ? neighboursOf(approval, ids)
    : { previous: undefined, next: ids[0] };
  return <Neighbours to="/approvals/$id" noun="approval" previous={previous} next={next} />;
}

interface NextApprovalProps {
  after: Approval;
  /** True if its link replaces the buttons of a decision, and takes the focus that they had. */
  takesFocus: boolean;
}

/** Leads from a decided approval to the one that expires next, or back to the list. */
export function NextApproval({ after: { id: decided, mode }, takesFocus }: NextApprovalProps): ReactNode {
  const others = useMine(mode)?.filter(({ id }) => id !== decided);
  if (others === undefined) return null;
  const [next] = others;
  const search = mode === 'test' ? { mode } : {};
  const ref = takesFocus ? takeFreeFocus : undefined;
  if (next === undefined)
    return (
      <p>
        Nothing else waits for you.{' '}
        <Link to="/approvals" search={search} ref={ref}>
          Open approvals
        </Link>
      </p>
    );
  return (
    <p className={styles.next}>
      Next:{' '}
      <Link to="/approvals/$id" params={{ id: next.id }} ref={ref}>
        <ApprovalTitle approval={next} />
      </Link>{' '}
      <Link to="/approvals" search={search}>
        {upTo99(others.length)} open
      </Link>
    </p>
  );
}

function takeFreeFocus(link: HTMLElement | null): void {
  if (document.activeElement === document.body) link?.focus();
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
