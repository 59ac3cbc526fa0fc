import type { ReactNode } from 'react';
import styles from './notice.module.css';

export interface NoticeProps {
  tone: 'amber' | 'green';
  title?: string;
  children?: ReactNode;
}

/** A hint or a confirmation. For errors, use `ProblemAlert`. */
export function Notice({ tone, title, children }: NoticeProps): ReactNode {
  return (
    <div className={`${styles.notice} ${styles[tone]}`} role={tone === 'green' ? 'status' : 'group'} aria-label={title}>
      {title !== undefined && <strong>{title}</strong>}
      {children}
    </div>
  );
}
