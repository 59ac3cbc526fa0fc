import type { ReactNode } from 'react';
import { type FieldChange, fieldText } from './approval-view.js';
import styles from './approvals.module.css';

export function ChangeList({ title, changes }: { title: string; changes: readonly FieldChange[] }): ReactNode {
  return (
    <section className={styles.changes} aria-label={title}>
      <strong>{title}</strong>
      <dl>
        {changes.map(({ name, before, after }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {before !== undefined && <del>{fieldText(before)}</del>}{' '}
              {after !== undefined && <ins>{fieldText(after)}</ins>}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
