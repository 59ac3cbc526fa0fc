import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.js';
import styles from './shown-once.module.css';

/** Shows a secret that the API returns only once. The children tell the person what to do with the secret. */
export function ShownOnce({ label, text, children }: { label: string; text: string; children: ReactNode }): ReactNode {
  return (
    <div className={styles.once} role="group" aria-label={label}>
      <p>{children}</p>
      <code className={styles.text}>{text}</code>
      <div className={styles.actions}>
        <CopyButton text={text} />
      </div>
    </div>
  );
}
