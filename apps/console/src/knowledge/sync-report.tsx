import type { ReactNode } from 'react';
import { formatCount } from '../ui/format-values.js';
import { Status } from '../ui/status.js';
import { Elapsed, Time } from '../ui/time.js';
import { FailureText } from './failure-text.js';
import { CodeText, Word } from '../ui/word.js';
import styles from './knowledge.module.css';
import type { Sync } from './knowledge-types.js';

export interface SyncReportProps {
  sync: Sync;
  isExpired: boolean;
  /** Button that starts the next sync. It appears beside what failed. */
  retry: ReactNode;
}

/**
 * Shows the progress or the result of the latest sync of a source. If the authorisation of the source has expired,
 * omits the error, because `Reauthorise` shows it.
 */
export function SyncReport({ sync, isExpired, retry }: SyncReportProps): ReactNode {
  const isOpen = sync.ended_at === null;
  return (
    <div className={styles.report} role="group" aria-label="Last sync">
      <div className={styles.reportHead}>
        <strong>{isOpen ? 'Sync' : 'Last sync'}</strong>
        <Status value={sync.status} />
        <span className={styles.second}>
          <Time at={sync.started_at ?? sync.created_at} />
          {sync.started_at !== null && (
            <>
              , <Elapsed since={sync.started_at} end={sync.ended_at} />
            </>
          )}
          {', '}
          {sync.requested_by === null ? 'by the schedule' : `requested by ${sync.requested_by}`}
        </span>
      </div>
      {isOpen && <Progress sync={sync} />}
      <Failures sync={sync} isExpired={isExpired} retry={isOpen ? null : retry} />
      <p>{countsText(sync)}</p>
      {sync.skipped && <Items title="Skipped files" count={sync.skipped.count} items={sync.skipped.items} />}
    </div>
  );
}

/** The error of the sync and the documents that failed, open, with what to do. */
function Failures({ sync, isExpired, retry }: SyncReportProps): ReactNode {
  const { error, failures, progress } = sync;
  const shown = error !== null && !isExpired && sync.held_deletions === null ? error : null;
  if (shown === null && failures.length === 0) return null;
  return (
    <div className={styles.failures} role="group" aria-label="Failures">
      {shown && <FailureText {...shown} />}
      {failures.length > 0 && (
        <>
          <strong>Documents that could not be read: {formatCount(progress.failed)}</strong>
          <ul className={styles.items}>
            {failures.map(({ key, code, message }) => (
              <li key={key}>
                <code>{key}</code>
                <FailureText code={code} message={message} />
              </li>
            ))}
          </ul>
          {progress.failed > failures.length && (
            <p className={styles.second}>The first {failures.length} are listed.</p>
          )}
        </>
      )}
      <div className={styles.bar}>{retry}</div>
    </div>
  );
}

function Progress({ sync: { progress } }: { sync: Sync }): ReactNode {
  const { seen, total } = progress;
  return (
    <progress
      className={styles.progress}
      aria-label="Documents read"
      {...(total !== undefined && total > 0 && { value: seen, max: total })}
    />
  );
}

function countsText({ progress }: Sync): string {
  const { seen, total, added, updated, unchanged, deleted, failed } = progress;
  const read = total === undefined ? formatCount(seen) : `${formatCount(seen)} of ${formatCount(total)}`;
  const counts = { added, updated, unchanged, deleted, failed };
  const parts = Object.entries(counts).map(([name, count]) => `${formatCount(count)} ${name}`);
  return `${read} read: ${parts.join(', ')}`;
}

type Items = Sync['failures'];

function Items({ title, count, items }: { title: string; count: number; items: Items }): ReactNode {
  if (items.length === 0) return null;
  return (
    <details className={styles.details}>
      <summary>
        {title}: {formatCount(count)}
      </summary>
      <ul className={styles.items}>
        {items.map(({ key, code, message }) => (
          <li key={key}>
            <code>{key}</code>
            <span>
              <Word kind="error" value={code} />: <CodeText text={message} />
            </span>
          </li>
        ))}
      </ul>
      {count > items.length && <p className={styles.second}>The first {items.length} are listed.</p>}
    </details>
  );
}
