import { type ReactNode, useState } from 'react';
import { MissingGroups, useMissingGroups } from '../agents/missing-groups.js';
import type { Approval } from '../data/api.js';
import { useUploadRefusal } from '../files/uploads.js';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/field.js';
import { ProblemAlert } from '../ui/problem.js';
import { AnswerForm } from './answer-form.js';
import { answerOf, type Decision, decisionRefusal, fieldText, questionOf } from './approval-view.js';
import styles from './approvals.module.css';
import { type ApprovedOperation, NO_DETAILS } from './approved-operation.js';
import { type Answer, QuestionForm } from './question-form.js';
import { RequestFields } from './request-fields.js';
import { isStale, useDecision } from './use-decision.js';

export interface DecisionPanelProps {
  /**
   * The approval that the page shows. The service rejects a decision if the request has changed since the page read it.
   */
  approval: Approval;
  operation?: ApprovedOperation;
  /** Called with the latest approval if the service rejects a decision because the request has changed. */
  onChanged?: (latest: Approval) => void;
}

export function DecisionPanel(props: DecisionPanelProps): ReactNode {
  return (
    <>
      <MissingGroups groups={props.approval.approvers} />
      <DecisionForm {...props} />
    </>
  );
}

function DecisionForm({ approval, operation = NO_DETAILS, onChanged }: DecisionPanelProps): ReactNode {
  const [comment, setComment] = useState('');
  const [edited, setEdited] = useState<Record<string, string> | null>(null);
  const decide = useDecision(approval, onChanged);
  const refusal = decisionRefusal(approval, useMissingGroups(approval.approvers)) ?? pendingRefusal(decide);
  const uploading = useUploadRefusal();
  const send = (decision: Decision): void => decide.mutate({ decision, comment, edited });
  const question = questionOf(approval);
  const shared = { refusal, error: decide.error, comment, onComment: setComment };
  if (question) {
    const decision = answerOf(approval);
    const answerWith = (answer: Answer): void => decide.mutate({ decision, comment, edited: null, answer });
    return <QuestionForm {...shared} question={question} onAnswer={answerWith} />;
  }
  if (approval.kind === 'in_doubt') return <AnswerForm {...shared} approval={approval} onAnswer={send} />;
  const canEdit = approval.allowed_decisions.includes('edit') && approval.request !== null;
  return (
    <div className={styles.decision}>
      {edited !== null && (
        <RequestFields
          request={approval.request ?? {}}
          operation={operation}
          texts={edited}
          onChange={(change) => setEdited((before) => before && change(before))}
          error={decide.error}
        />
      )}
      <TextField label="Comment" value={comment} onChange={setComment} multiline />
      <ProblemAlert error={isStale(decide.error) ? null : decide.error} />
      {refusal !== null && !decide.isPending && <p className={styles.refusal}>{refusal}</p>}
      <div className={styles.buttons}>
        <Button
          look="primary"
          refusal={refusal ?? uploading}
          data-focus-key="a"
          onClick={() => send(edited === null ? 'approve' : 'edit')}
        >
          {edited === null ? 'Approve' : 'Approve edited request'}
        </Button>
        <Button refusal={refusal} data-focus-key="r" onClick={() => send('reject')}>
          Reject
        </Button>
        {canEdit && (
          <Button
            look="quiet"
            refusal={refusal}
            onClick={() => setEdited(edited === null ? textsOf(approval.request ?? {}) : null)}
          >
            {edited === null ? 'Edit request' : 'Discard edit'}
          </Button>
        )}
      </div>
    </div>
  );
}

function pendingRefusal({ isPending }: { isPending: boolean }): string | null {
  return isPending ? 'The decision is being sent.' : null;
}

function textsOf(request: object): Record<string, string> {
  return Object.fromEntries(Object.entries(request).map(([name, value]) => [name, fieldText(value)]));
}
