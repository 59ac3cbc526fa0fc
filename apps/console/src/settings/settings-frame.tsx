import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useCaller } from '../data/session.js';
import { Card, Empty, Page, type PageProps } from '../ui/page.js';
import { SECTIONS } from './sections.js';
import styles from './settings.module.css';

export interface SettingsFrameProps extends Omit<PageProps, 'above'> {
  /** Explains why the person may not read the list of this page. This text is shown instead of the list. */
  refusal?: string | null;
}

export function SettingsFrame({ refusal = null, busy, children, ...page }: SettingsFrameProps): ReactNode {
  const isCallerKnown = useCaller() !== undefined;
  const purpose = SECTIONS.find(({ name }) => name === page.title)?.text;
  return (
    <Page facts={purpose} {...page} busy={busy === true || !isCallerKnown} above={<SettingsLinks />}>
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

function SettingsLinks(): ReactNode {
  const list = useRef<HTMLUListElement>(null);
  // On a phone, the row of links is wider than the screen, so the current link is scrolled into view.
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, []);
  return (
    <ul ref={list} className={styles.tabs} aria-label="Settings">
      {SECTIONS.map(({ path, name }) => (
        <li key={path}>
          <Link to={path} className={styles.tab} activeProps={{ 'aria-current': 'page' }}>
            {name}
          </Link>
        </li>
      ))}
    </ul>
  );
}
