import { Fragment, type ReactNode, useState } from 'react';
import type { Approval } from '../data/api.js';
import { FileRows } from '../files/file-row.js';
import { filesIn } from '../files/file-value.js';
import { Button } from '../ui/button.js';
import { Card, Facts } from '../ui/page.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import {
  fieldText,
  type FieldChange,
  isFileMember,
  labelsOf,
  questionOf,
  questionTitle,
  requestChanges,
  shownAs,
  shownBeside,
} from './approval-view.js';
import styles from './approvals.module.css';
import { useOperation } from './approval-title.js';
import { type ApprovedOperation, fieldLabel } from './approved-operation.js';
import { DecisionPanel } from './decision-panel.js';
import { NextApproval } from './next-approval.js';
import { ChangeList } from './request-fields.js';

/**
 * Shows the request as it was when the person opened the page. If someone edits the request after that, the change
 * appears below the buttons, so that the buttons do not move. A decision contains the revision that the page shows. The
 * service rejects the decision if a newer revision exists.
 */
export function RequestCard({ approval }: { approval: Approval }): ReactNode {
  const [shown, setShown] = useState(approval);
  const [wasOpen] = useState(approval.status === 'open');
  const [changes, setChanges] = useState<readonly FieldChange[]>([]);
  const operation = useOperation(approval);
  const showChanged = (latest: Approval): void => {
    setChanges(requestChanges(shown.request, latest.request));
    setShown(latest);
  };
  const isChanged = approval.request_revision !== shown.request_revision;
  const isOpen = approval.status === 'open';
  return (
    <Card title={questionOf(approval) ? 'Question' : 'Request'}>
      <Reason approval={approval} operation={operation} />
      {changes.length > 0 && (
        <div role="status">
          <ChangeList title="The request was changed after you opened it" changes={changes} />
        </div>
      )}
      <RequestFacts approval={isOpen ? shown : approval} operation={operation} />
      <Edit approval={isOpen ? shown : approval} operation={operation} />
      {isOpen ? (
        <DecisionPanel
          approval={{ ...approval, request: shown.request, request_revision: shown.request_revision }}
          operation={operation}
          onChanged={showChanged}
        />
      ) : (
        <Outcome approval={approval} />
      )}
      {(!isOpen || approval.can_decide === false) && <NextApproval after={approval} takesFocus={wasOpen} />}
      {isChanged && isOpen && (
        <div role="status" className={styles.changed}>
          <ChangeList
            title={`The request was changed by ${approval.decisions.at(-1)?.by ?? 'another person'}`}
            changes={requestChanges(shown.request, approval.request)}
          />
          <Button onClick={() => showChanged(approval)}>Show changed request</Button>
        </div>
      )}
    </Card>
  );
}

function Reason({ approval, operation }: { approval: Approval; operation: ApprovedOperation }): ReactNode {
  const { kind, policy, reason } = approval;
  const question = questionOf(approval);
  if (question) return <p className={styles.reason}>{questionTitle(question, approval)}</p>;
  if (kind === 'in_doubt') return <p className={styles.reason}>{reason}</p>;
  const message = operation.policies.find(({ name }) => name === policy)?.message;
  return (
    <div className={styles.reason}>
      <p>
        {kind === 'step' ? 'Asked by the plan' : 'Asked by the policy'} <strong>{policy}</strong>
        {message !== undefined && <>: {message}</>}
      </p>
      <p className={styles.why}>
        <code>{reason}</code>
      </p>
    </div>
  );
}

export function RequestFacts({ approval, operation }: { approval: Approval; operation: ApprovedOperation }): ReactNode {
  const request = Object.entries(approval.request ?? {});
  const others = shownBeside(approval);
  const label = labelsOf(others.map(([name]) => name));
  return (
    <>
      {questionOf(approval) ? null : approval.request === null ? (
        <p>The run waits at an approval step of its definition. The step makes no call.</p>
      ) : (
        <Facts
          facts={request.map(([name, value]) => [
            fieldLabel(operation, name),
            <Fragment key={name}>
              <Value of={value} />
              {shownAs(approval.show, name, value).map((expression) => (
                <div key={expression} className={styles.why}>
                  equals <code>{expression}</code>
                </div>
              ))}
            </Fragment>,
          ])}
        />
      )}
      {others.length > 0 && (
        <section className={styles.shown} aria-label="Shown to approvers">
          <h3>Shown to approvers</h3>
          <Facts facts={others.map(([name, value]) => [label(name), <Value key={name} of={value} />])} />
        </section>
      )}
    </>
  );
}

function Value({ of: value }: { of: unknown }): ReactNode {
  const text = fieldText(value);
  if (typeof value !== 'object' || value === null) return <bdi>{text}</bdi>;
  return (
    <>
      {!isFileMember(value) && <pre className={styles.value}>{text}</pre>}
      <FileRows files={filesIn(value).map((file) => ({ file }))} />
    </>
  );
}

/** Shows what a person changed in the request. */
function Edit({ approval, operation }: { approval: Approval; operation: ApprovedOperation }): ReactNode {
  const edit = approval.decisions.find(({ request_before: before }) => before !== null);
  if (edit === undefined) return null;
  const changes = requestChanges(edit.request_before, approval.request);
  return (
    <ChangeList
      title={`Changed by ${edit.by}`}
      changes={changes.map((change) => ({ ...change, name: fieldLabel(operation, change.name) }))}
    />
  );
}

function Outcome({ approval }: { approval: Approval }): ReactNode {
  const last = approval.decisions.at(-1);
  return (
    <div role="status" className={styles.outcome}>
      <Status value={approval.status} />
      <span>
        {last ? (
          <>
            by {last.by}, <Time at={last.at} />
            {last.comment !== null && <>: {last.comment}</>}
          </>
        ) : (
          'No person decided it.'
        )}
      </span>
      <Answer approval={approval} />
    </div>
  );
}

function Answer({ approval }: { approval: Approval }): ReactNode {
  const answer = questionOf(approval)?.answer;
  if (!answer) return null;
  const members: [string, unknown][] = Object.entries(answer);
  return <Facts facts={members.map(([name, value]) => [name, <Value key={name} of={value} />])} />;
}
