import { Link, Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Card, Page } from '../ui/page.js';
import { useCaller } from '../data/session.js';
import { useMedia } from '../ui/media.js';
import { SECTION_GROUPS, SECTIONS } from './sections.js';
import styles from './settings.module.css';
import { You } from './you.js';

const WIDE = matchMedia('(min-width: 1000px)');

export function SettingsPage(): ReactNode {
  const caller = useCaller();
  const isWide = useMedia(WIDE);
  const first = SECTIONS.find((section) => !('scope' in section) || caller?.scopes.includes(section.scope));
  if (isWide && caller !== undefined && first !== undefined) return <Navigate to={first.path} replace />;
  return (
    <Page title="Settings" busy={caller === undefined || isWide}>
      {!isWide &&
        SECTION_GROUPS.map(({ name, links }) => (
          <Card key={name} title={name} flush>
            <ul className={styles.sections}>
              {links.map(({ path, name: page, text }) => (
                <li key={path}>
                  <Link to={path}>{page}</Link>
                  <p>{text}</p>
                </li>
              ))}
            </ul>
          </Card>
        ))}
      {!isWide && <You />}
    </Page>
  );
}
