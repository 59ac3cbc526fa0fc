import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aas, type Approval } from '../data/api.js';
import { Card, Columns, Facts, Page } from '../ui/page.js';
import { Status, Tag } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { Word } from '../ui/word.js';
import { ApprovalTitle } from './approval-title.js';
import { approvalKey, approvalTitle, startedBy } from './approval-view.js';
import styles from './approvals.module.css';
import { ApprovalNeighbours } from './next-approval.js';
import { RequestCard } from './request-card.js';
import { RunSoFar } from './run-so-far.js';

const EVERY_MILLIS = 15_000;

export function ApprovalPage(): ReactNode {
  const { id = '' } = useParams({ strict: false });
  const {
    data: approval,
    error,
    isPending,
  } = useQuery({
    queryKey: approvalKey(id),
    queryFn: () => aas.approvals.get(id),
    // If several people must approve, the approval stays open after the first decision. The change feed does not report
    // that decision, so the page polls.
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && data.status === 'open' && data.required > 1 ? EVERY_MILLIS : false,
  });
  return (
    <Page
      title={approval === undefined ? 'Approval' : approvalTitle(approval)}
      heading={approval && <ApprovalTitle approval={approval} />}
      above={<Link to="/approvals">Approvals</Link>}
      busy={isPending}
      error={error}
      facts={approval && <Summary approval={approval} />}
      actions={<ApprovalNeighbours approval={id} {...(approval && { mode: approval.mode })} />}
    >
      {approval && (
        <Columns
          main={<RequestCard key={approval.id} approval={approval} />}
          side={
            <>
              <Quorum approval={approval} />
              <History approval={approval} />
              <RunSoFar key={approval.run} run={approval.run} />
            </>
          }
        />
      )}
    </Page>
  );
}

function Summary({ approval }: { approval: Approval }): ReactNode {
  const isOpen = approval.status === 'open';
  return (
    <>
      <Status value={approval.status} />
      <Link to="/agents/$id" params={{ id: approval.agent }}>
        {approval.agent_name}
      </Link>
      <span>version {approval.version}</span>
      <span>{startedBy(approval)}</span>
      {approval.mode === 'test' && <Tag>test run, writes are simulated</Tag>}
      <span>
        {isOpen ? 'expires ' : 'opened '}
        <Time at={isOpen ? approval.expires_at : approval.opened_at} />
      </span>
    </>
  );
}

function Quorum({ approval }: { approval: Approval }): ReactNode {
  const { approvers, required, opened_at: openedAt, expires_at: expiresAt, status } = approval;
  const approved = approval.decisions.filter(({ decision }) => decision === 'approve' || decision === 'edit').length;
  return (
    <Card title="Approvers">
      <Facts
        facts={[
          ['Who', approvers.length === 0 ? 'Admins of the workspace' : `Members of ${approvers.join(', ')}`],
          approval.kind === 'in_doubt'
            ? null
            : [
                'Approvals',
                <span key="approvals" className={styles.quorum}>
                  <meter min={0} max={required} value={Math.min(approved, required)} aria-label="Approvals" />
                  {approved} of {required}
                </span>,
              ],
          ['Opened', <Time key="opened" at={openedAt} />],
          status === 'open' ? ['Expires', <Time key="expires" at={expiresAt} />] : null,
        ]}
      />
    </Card>
  );
}

function History({ approval }: { approval: Approval }): ReactNode {
  if (approval.decisions.length === 0) return null;
  return (
    <Card title="Decisions">
      <ol className={styles.history}>
        {approval.decisions.map((each) => (
          <li key={`${each.by} ${each.at}`}>
            <div>
              <strong>{each.by}</strong> <Word kind="decision" value={each.decision} />{' '}
              <Tag>
                <Word kind="via" value={each.via} />
              </Tag>{' '}
              <Time at={each.at} />
            </div>
            {each.comment !== null && <p>{each.comment}</p>}
          </li>
        ))}
      </ol>
    </Card>
  );
}
