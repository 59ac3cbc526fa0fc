import type { ReactNode } from 'react';
import type { Run } from '../data/api.js';
import { formatDuration } from '../ui/format-values.js';
import { Elapsed } from '../ui/time.js';
import styles from './runs.module.css';

/**
 * Shows how long an ended run was executed and, below, how long it waited. For a run that a worker executes, the time
 * since the start; a run that waits is not active.
 */
export function Durations({ run }: { run: Run }): ReactNode {
  const { started_at: since, ended_at: until, duration_ms: active } = run;
  if (run.waiting !== null) return 'waits';
  if (active === null || until === null) return <Elapsed since={since} end={null} />;
  const waited = Date.parse(until) - Date.parse(since) - active;
  return (
    <>
      {formatDuration(active)}
      {waited >= SHOWN_WAIT_MILLIS && <div className={styles.second}>waited {formatDuration(waited)}</div>}
    </>
  );
}

const SHOWN_WAIT_MILLIS = 1_000;
