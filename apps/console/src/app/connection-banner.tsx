import { WifiOff } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLostConnection } from '../data/connection.js';
import { formatClock } from '../ui/format-values.js';
import styles from './connection-banner.module.css';

/** While the service cannot be reached, says since when, on every page. */
export function ConnectionBanner(): ReactNode {
  const lostAt = useLostConnection();
  return (
    <div role="status">
      {lostAt !== null && (
        <p className={styles.banner}>
          <WifiOff size={16} aria-hidden />
          <span>
            <strong>
              No connection since <time dateTime={new Date(lostAt).toISOString()}>{formatClock(lostAt)}</time>.
            </strong>{' '}
            The console tries again by itself. Until then, the page may be out of date.
          </span>
        </p>
      )}
    </div>
  );
}
