import type { ReactNode } from 'react';
import { Tag } from '../ui/status.js';
import styles from './settings.module.css';

export function ScopeList({ scopes }: { scopes: readonly string[] }): ReactNode {
  return (
    <ul className={styles.scopes} aria-label="Effective scopes">
      {scopes.map((scope) => (
        <li key={scope}>
          <Tag>{scope}</Tag>
        </li>
      ))}
    </ul>
  );
}

export function ScopeCount({ scopes }: { scopes: readonly string[] }): ReactNode {
  return (
    <details className={styles.disclosure}>
      <summary>
        {scopes.length} {scopes.length === 1 ? 'scope' : 'scopes'}
      </summary>
      <ScopeList scopes={scopes} />
    </details>
  );
}
