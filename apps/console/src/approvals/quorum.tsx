import type { ReactNode } from 'react';
import type { Approval } from '../data/api.js';
import { Card, Facts } from '../ui/page.js';
import { Time } from '../ui/time.js';
import styles from './approvals.module.css';

export function Quorum({ approval }: { approval: Approval }): ReactNode {
  const { approvers, required, opened_at: openedAt, expires_at: expiresAt, status } = approval;
  const approved = approval.decisions.filter(({ decision }) => decision === 'approve' || decision === 'edit').length;
  return (
    <Card title="Approvers">
      <Facts
        facts={[
          ['Who', approvers.length > 0 ? `Members of ${approvers.join(', ')}` : 'Admins of the workspace'],
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
