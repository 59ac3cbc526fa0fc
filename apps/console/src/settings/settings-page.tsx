import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Card, Facts, Page } from '../ui/page.js';
import { useCaller } from '../data/session.js';
import { ScopeList } from './roles.js';
import { SECTIONS } from './sections.js';
import styles from './settings.module.css';

export function SettingsPage(): ReactNode {
  const caller = useCaller();
  return (
    <Page title="Settings" busy={caller === undefined}>
      <Card flush>
        <ul className={styles.sections}>
          {SECTIONS.map(({ path, name, text }) => (
            <li key={path}>
              <Link to={path}>{name}</Link>
              <p>{text}</p>
            </li>
          ))}
        </ul>
      </Card>
      {caller && (
        <Card title="You">
          <Facts
            facts={[
              ['Member', caller.member],
              ['Workspace', caller.workspace.name],
              ['Role', caller.role],
              ['Scopes', <ScopeList key="scopes" scopes={caller.scopes} />],
            ]}
          />
        </Card>
      )}
    </Page>
  );
}
