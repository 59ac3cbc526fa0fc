import type { ReactNode } from 'react';
import { Card } from './page.js';
import styles from './skeleton.module.css';

const ROWS = 6;

/** Placeholders of rows that have not loaded. They appear only if loading takes noticeably long. */
export function SkeletonRows(): ReactNode {
  return (
    <Card flush>
      <div className={styles.rows} aria-hidden>
        {Array.from({ length: ROWS }, (_, n) => (
          <span key={n} />
        ))}
      </div>
    </Card>
  );
}

/** Says that a list still shows the rows of the previous filters. */
export function OldRows({ isOld }: { isOld: boolean }): ReactNode {
  return isOld && <p role="status">The rows are from before the filters changed. The service cannot be reached.</p>;
}
