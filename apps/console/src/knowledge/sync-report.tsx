import type { ReactNode } from 'react';
import { formatCount } from '../ui/format-values.js';
import { Notice } from '../ui/notice.js';
import { Status } from '../ui/status.js';
import { Elapsed, Time } from '../ui/time.js';
import styles from './knowledge.module.css';
import type { Sync } from './knowledge-types.js';

/**
 * Shows the progress or the result of the latest sync of a source. If the authorisation of the source has expired,
 * omits the error, because `Reauthorise` shows it.
 */
export function SyncReport({ sync, isExpired }: { sync: Sync; isExpired: boolean }): ReactNode {
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
      <p>{countsText(sync)}</p>
      {sync.error && !isExpired && sync.held_deletions === null && (
        <Notice tone="amber" title={sync.error.code}>
          <p>{sync.error.message}</p>
        </Notice>
      )}
      <Items title="Documents that could not be read" count={sync.progress.failed} items={sync.failures} />
      {sync.skipped && <Items title="Skipped files" count={sync.skipped.count} items={sync.skipped.items} />}
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
              {code}: {message}
            </span>
          </li>
        ))}
      </ul>
      {count > items.length && <p className={styles.second}>The first {items.length} are listed.</p>}
    </details>
  );
}
