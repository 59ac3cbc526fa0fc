import type { ReactNode } from 'react';
import { formatDuration } from '../ui/format-values.js';
import { Status } from '../ui/status.js';
import { Time, useNow } from '../ui/time.js';
import styles from './settings.module.css';
import type { Delivery } from './webhook-list.js';

/** Whether the last attempt failed and another one follows or is in progress. */
export function isRetrying({ status, attempts }: Delivery): boolean {
  return status === 'pending' && attempts > 0;
}

const SOON_MILLIS = 60_000;

export function isAboutToChange({ status, next_attempt_at: next }: Delivery): boolean {
  return status === 'pending' && (next === null || Date.parse(next) < Date.now() + SOON_MILLIS);
}

export function DeliveryStatus({ delivery }: { delivery: Delivery }): ReactNode {
  const { status, next_attempt_at: next } = delivery;
  const now = useNow(5_000);
  if (!isRetrying(delivery)) return <Status value={status} />;
  return (
    <>
      <Status value="retrying" />
      <div className={styles.second}>
        {next === null ? (
          'an attempt is in progress'
        ) : (
          <>next attempt {Date.parse(next) > now ? <Time at={next} /> : 'due'}</>
        )}
      </div>
    </>
  );
}

/** Says how the last attempt ended, for example `503 in 12 ms`. Returns null before the first attempt. */
export function attemptResult({ response_status: status, latency_ms: latency, error }: Delivery): string | null {
  if (status === null) return error;
  return latency === null ? String(status) : `${status} in ${formatDuration(latency)}`;
}
