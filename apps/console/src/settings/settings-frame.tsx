import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useCaller } from '../data/session.js';
import { Card, Empty, Page, type PageProps } from '../ui/page.js';
import { SECTION_GROUPS, SECTIONS } from './sections.js';
import styles from './settings.module.css';

export interface SettingsFrameProps extends Omit<PageProps, 'above' | 'aside'> {
  /** Explains why the person may not read the list of this page. This text is shown instead of the list. */
  refusal?: string | null;
}

export function SettingsFrame({ refusal = null, busy, children, ...page }: SettingsFrameProps): ReactNode {
  const isCallerKnown = useCaller() !== undefined;
  const purpose = SECTIONS.find(({ name }) => name === page.title)?.text;
  return (
    <Page facts={purpose} {...page} busy={busy === true || !isCallerKnown} aside={<SettingsLinks />} above={<ToList />}>
      {refusal === null ? (
        isCallerKnown && children
      ) : (
        <Card flush>
          <Empty title="You may not see this list">
            <p>{refusal}</p>
          </Empty>
        </Card>
      )}
    </Page>
  );
}

function ToList(): ReactNode {
  return (
    <Link to="/settings" className={styles.toList}>
      Settings
    </Link>
  );
}

function SettingsLinks(): ReactNode {
  return (
    <nav className={styles.links} aria-label="Settings">
      {SECTION_GROUPS.map(({ name, links }) => (
        <div key={name}>
          <p aria-hidden>{name}</p>
          <ul aria-label={name}>
            {links.map(({ path, name: page }) => (
              <li key={path}>
                <Link to={path} className={styles.link} activeProps={{ 'aria-current': 'page' }}>
                  {page}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
