import { type ReactNode, useState } from 'react';
import styles from './page.module.css';

/** A part of a page that is closed at first. Its data are read when a person opens it. */
export function Disclosure({ summary, children }: { summary: string; children: ReactNode }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.disclosure} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen && children}
    </details>
  );
}
