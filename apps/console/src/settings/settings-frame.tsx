import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useCaller } from '../data/session.js';
import { Card, Empty, Page, type PageProps } from '../ui/page.js';
import styles from './settings.module.css';

interface Section {
  path: string;
  name: string;
  text: string;
}

export const SECTIONS = [
  { path: '/settings/members', name: 'Members', text: 'Members of the workspace and their roles.' },
  {
    path: '/settings/groups',
    name: 'Groups',
    text: 'Groups of members that can approve requests and read knowledge bases.',
  },
  { path: '/settings/keys', name: 'API keys', text: 'Keys with which programs and the CLI call the API.' },
  {
    path: '/settings/secrets',
    name: 'Secrets',
    text: 'Credentials for tools and connectors. Their values are never shown again.',
  },
  {
    path: '/settings/connections',
    name: 'Connections',
    text: 'Accounts at other services that people authorised for the tools of agents.',
  },
  { path: '/settings/webhooks', name: 'Webhooks', text: 'Endpoints that receive the events of the workspace.' },
  { path: '/settings/audit', name: 'Audit log', text: 'Record of who changed what, and when.' },
  { path: '/settings/sessions', name: 'Sessions', text: 'Browsers in which you are signed in.' },
] as const satisfies readonly Section[];

export interface SettingsFrameProps extends Omit<PageProps, 'above'> {
  /** Explains why the person may not read the list of this page. This text is shown instead of the list. */
  refusal?: string | null;
}

export function SettingsFrame({ refusal = null, busy, children, ...page }: SettingsFrameProps): ReactNode {
  const isCallerKnown = useCaller() !== undefined;
  return (
    <Page {...page} busy={busy === true || !isCallerKnown} above={<SettingsLinks />}>
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
