import { type ReactNode, useState } from 'react';
import styles from './page.module.css';

/** A section that is initially closed. The children are rendered, and load their data, only when a person opens it. */
export function Disclosure({ summary, children }: { summary: string; children: ReactNode }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.disclosure} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children}
    </details>
  );
}
