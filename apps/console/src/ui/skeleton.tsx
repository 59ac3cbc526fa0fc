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
