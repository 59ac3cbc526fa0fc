import type { ReactNode } from 'react';
import { aas } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { type Column, PagedTable } from '../ui/data-table.js';
import { ConfirmButton } from '../ui/dialog-button.js';
import { Empty } from '../ui/page.js';
import { Tag } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { Word } from '../ui/word.js';
import { browserName } from './browser-name.js';
import styles from './settings.module.css';
import { SettingsFrame } from './settings-frame.js';
import { You } from './you.js';

type Session = Awaited<ReturnType<typeof aas.sessions.list>>['data'][number];

const SESSIONS = ['sessions'];

export function SessionsPage(): ReactNode {
  const list = usePagedList(SESSIONS, (page) => aas.sessions.list({ ...page, limit: 100 }));
  return (
    <SettingsFrame title="Sessions" busy={list.isPending} error={list.error}>
      <PagedTable
        label="Sessions"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        list={list}
        empty={
          <Empty title="No session">You are signed in with an API key. Other sign-ins in a browser appear here.</Empty>
        }
      />
      <You />
    </SettingsFrame>
  );
}

const COLUMNS: readonly Column<Session>[] = [
  { name: 'Browser', cell: (session) => <Browser session={session} /> },
  { name: 'Signed in by', kind: 'optional', cell: ({ method }) => <Word kind="signIn" value={method} /> },
  { name: 'Signed in', kind: 'optional', cell: ({ created_at: at }) => <Time at={at} /> },
  { name: 'Last seen', cell: ({ last_seen_at: at }) => <Time at={at} /> },
  { name: 'Expires', kind: 'optional', cell: ({ expires_at: at }) => <Time at={at} /> },
  { name: 'Actions', kind: 'actions', cell: (session) => <Revoke session={session} /> },
];

function Browser({ session }: { session: Session }): ReactNode {
  return (
    <>
      <span title={session.user_agent}>{browserName(session.user_agent)}</span>{' '}
      {session.current && <Tag>this session</Tag>}
      <div className={styles.second}>
        <code>{session.id}</code>
      </div>
    </>
  );
}

function Revoke({ session }: { session: Session }): ReactNode {
  return (
    <div>
      <ConfirmButton
        name="Revoke"
        title="Revoke the session?"
        run={() => aas.sessions.end(session.id)}
        changes={SESSIONS}
        onDone={() => {
          // Loads a new page, so that no data of the old session remains in memory.
          if (session.current) location.assign('/console/sign-in');
        }}
      >
        {session.current
          ? 'This is the session of this browser. You will be signed out.'
          : `${browserName(session.user_agent)} has to sign in again.`}
      </ConfirmButton>
    </div>
  );
}
