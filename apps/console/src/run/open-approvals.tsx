import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useOperation } from '../approvals/approval-title.js';
import { questionOf, questionTitle } from '../approvals/approval-view.js';
import { DecisionPanel } from '../approvals/decision-panel.js';
import { RequestFacts } from '../approvals/request-card.js';
import { aas, type Approval, type Run } from '../data/api.js';
import { Card, Facts } from '../ui/page.js';
import { Time } from '../ui/time.js';
import styles from './run.module.css';

/** Lists the open approvals that the run waits for, including questions about calls with unknown outcome. */
export function OpenApprovals({ run }: { run: Run }): ReactNode {
  const open = run.approvals.filter(({ status }) => status === 'open');
  return open.map((approval) => <OpenApproval key={approval.id} approval={approval} />);
}

function OpenApproval({ approval: shown }: { approval: Approval }): ReactNode {
  // Each approval is read separately, because the list of approvals does not say whether this person may decide them.
  const { data } = useQuery({
    queryKey: ['approval', shown.id],
    queryFn: () => aas.approvals.get(shown.id),
  });
  const approval = data ?? shown;
  const operation = useOperation(approval);
  return (
    <Card title={titleOf(approval)} actions={<ApprovalLink approval={approval} />}>
      <div className={styles.approval}>
        <Facts
          facts={[
            [questionOf(approval) ? 'Step' : 'Call', approval.tool],
            ['Policy', approval.policy],
            approval.kind === 'in_doubt' || questionOf(approval)
              ? ['Reason', approval.reason]
              : ['Condition', <code key="reason">{approval.reason}</code>],
            approval.required > 1 ? ['Required', `${approval.required} people`] : null,
            ['Expires', <Time key="expires" at={approval.expires_at} />],
          ]}
        />
        <div className={styles.result}>
          <RequestFacts approval={approval} operation={operation} />
        </div>
      </div>
      {data !== undefined && <DecisionPanel approval={data} operation={operation} />}
    </Card>
  );
}

function ApprovalLink({ approval: { id } }: { approval: Approval }): ReactNode {
  return (
    <Link to="/approvals/$id" params={{ id }}>
      Open approval
    </Link>
  );
}

function titleOf(approval: Approval): string {
  const { kind, tool, approvers } = approval;
  const question = questionOf(approval);
  if (question) return questionTitle(question, approval);
  if (kind === 'in_doubt') return `Unknown outcome of ${tool ?? 'a call'}`;
  return `Waits for ${approvers.length > 0 ? approvers.join(', ') : 'an admin'}`;
}
