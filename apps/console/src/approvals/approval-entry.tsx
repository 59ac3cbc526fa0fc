import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Approval } from '../data/api.js';
import { Status, Tag } from '../ui/status.js';
import { Time, useNow } from '../ui/time.js';
import { ApprovalTitle, useOperation } from './approval-title.js';
import { keyValues, labelsOf, questionOf, shownBeside, shownText, startedBy } from './approval-view.js';
import styles from './approvals.module.css';

const SHOWN_MEMBERS = 6;
const SHOWN_CHARACTERS = 80;
const URGENT_MILLIS = 3_600_000;

export function ApprovalEntry({ approval }: { approval: Approval }): ReactNode {
  const { policy, reason, id, kind } = approval;
  const isQuestion = questionOf(approval) !== null;
  const inTitle = new Set(isQuestion || kind === 'in_doubt' ? [] : keyValues(approval).map(([name]) => name));
  const { titles } = useOperation(approval);
  const values = [...shownBeside(approval), ...Object.entries(approval.request ?? {})]
    .filter(([name]) => !inTitle.has(name))
    .slice(0, SHOWN_MEMBERS);
  const label = labelsOf(values.map(([name]) => name));
  return (
    <li className={styles.entry}>
      <div className={styles.entryMain}>
        <div>
          <Link to="/approvals/$id" params={{ id }} className={styles.entryLink}>
            <ApprovalTitle approval={approval} />
          </Link>{' '}
          {approval.mode === 'test' && <Tag>test run, writes are simulated</Tag>}
        </div>
        {values.length > 0 && (
          <p className={styles.request}>
            {values.map(([name, value]) => (
              <span key={name}>
                {titles.get(name) ?? label(name)}{' '}
                <strong dir="auto">{shownText(value).slice(0, SHOWN_CHARACTERS)}</strong>
              </span>
            ))}
          </p>
        )}
        <p className={styles.why}>
          {approval.agent_name} · {startedBy(approval)} · {isQuestion || kind === 'in_doubt' ? reason : policy}
        </p>
      </div>
      <Times approval={approval} />
    </li>
  );
}

function Times({ approval }: { approval: Approval }): ReactNode {
  const { status, expires_at: expiresAt, opened_at: openedAt, decided_at: decidedAt } = approval;
  const isUrgent = Date.parse(expiresAt) - useNow(60_000) < URGENT_MILLIS;
  const last = approval.decisions.at(-1);
  return (
    <div className={styles.entrySide}>
      {status === 'open' ? (
        <span className={isUrgent ? styles.urgent : undefined}>
          expires <Time at={expiresAt} />
        </span>
      ) : (
        <Status value={status} />
      )}
      <span className={styles.why}>
        {decidedAt === null ? 'opened ' : last === undefined ? 'ended ' : `${last.by}, `}
        <Time at={decidedAt ?? openedAt} />
      </span>
    </div>
  );
}
