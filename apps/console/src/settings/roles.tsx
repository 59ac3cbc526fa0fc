import type { ReactNode } from 'react';
import type { Caller } from '../data/api.js';
import { Choice } from '../ui/field.js';
import { Tag } from '../ui/status.js';
import { Word } from '../ui/word.js';
import { scopeSummary } from './scope-summary.js';
import styles from './settings.module.css';

export type Role = Caller['role'];

const WHAT_ROLES_DO: Readonly<Record<Role, string>> = {
  viewer: 'Reads, and decides approvals of its groups.',
  operator: 'Also starts and cancels runs.',
  builder: 'Also changes agents, knowledge, secrets and webhooks.',
  admin: 'Also manages members and keys, and stops the workspace.',
};
const ROLES = Object.keys(WHAT_ROLES_DO) as Role[];

export interface RoleChoiceProps {
  value: Role;
  onChange: (role: Role) => void;
  problem?: string;
}

export function RoleChoice({ value, onChange, problem }: RoleChoiceProps): ReactNode {
  return (
    <Choice
      label="Role"
      value={value}
      onChange={(chosen) => onChange(ROLES.find((role) => role === chosen) ?? value)}
      options={ROLES.map((role) => ({ value: role }))}
      hint={WHAT_ROLES_DO[value]}
      problem={problem}
    />
  );
}

export function FoldedScopes({ scopes }: { scopes: readonly string[] }): ReactNode {
  if (scopes.length === 1) return scopeSummary(scopes);
  return (
    <details className={styles.disclosure}>
      <summary>{scopeSummary(scopes)}</summary>
      <ul className={styles.scopes} aria-label="Effective scopes">
        {scopes.map((scope) => (
          <li key={scope}>
            <Tag>
              <Word kind="scope" value={scope} />
            </Tag>
          </li>
        ))}
      </ul>
    </details>
  );
}
