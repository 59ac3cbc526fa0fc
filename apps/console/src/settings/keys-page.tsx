import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { nameOf, useAgents } from '../data/agent-names.js';
import { aas } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { useCaller, useRefusal } from '../data/session.js';
import { type Column, PagedTable } from '../ui/data-table.js';
import { ActionMenu, confirmAction, type MenuAction } from '../ui/action-menu.js';
import { Empty } from '../ui/page.js';
import { Tag } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { Word } from '../ui/word.js';
import { type ApiKey, CreateKey, KEYS, RotateKey } from './key-dialogs.js';
import { expiryState } from './key-expiry.js';
import { FoldedScopes } from './roles.js';
import styles from './settings.module.css';
import { SettingsFrame } from './settings-frame.js';

export function KeysPage(): ReactNode {
  const refusal = useRefusal('keys:manage');
  const caller = useCaller();
  const mayList = caller !== undefined && refusal === null;
  const list = usePagedList(KEYS, (page) => aas.apiKeys.list({ ...page, limit: 100 }), { enabled: mayList });
  return (
    <SettingsFrame
      title="API keys"
      busy={list.isPending}
      error={list.error}
      refusal={refusal}
      actions={<CreateKey caller={caller} refusal={refusal} />}
    >
      <PagedTable
        label="API keys"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        list={list}
        empty={
          <Empty title="No API key">
            <p>Programs and the CLI sign in with an API key.</p>
            <Link to="/settings/keys" hash="create-key" className={styles.inText}>
              Create the first key
            </Link>
          </Empty>
        }
      />
    </SettingsFrame>
  );
}

const COLUMNS: readonly Column<ApiKey>[] = [
  { name: 'Name', cell: (key) => <KeyName apiKey={key} /> },
  {
    name: 'Member',
    kind: 'optional',
    cell: ({ member, role }) => (
      <>
        <bdi className={styles.mail}>{member}</bdi>
        <div className={styles.second}>{role}</div>
      </>
    ),
  },
  {
    name: 'May',
    kind: 'wide',
    cell: ({ effective_scopes: scopes }) => <FoldedScopes scopes={scopes} />,
  },
  { name: 'Agents', kind: 'wide', cell: ({ agents }) => (agents === null ? 'all' : <KeyAgents ids={agents} />) },
  { name: 'Last used', kind: 'optional', cell: ({ last_used_at: at }) => (at === null ? 'never' : <Time at={at} />) },
  { name: 'Expires', kind: 'optional', cell: ({ expires_at: at }) => <Expiry at={at} /> },
  { name: 'Actions', kind: 'actions', cell: (key) => <Actions apiKey={key} /> },
];

export function KeyAgents({ ids }: { ids: readonly string[] }): ReactNode {
  const agents = useAgents();
  const names = ids.map((id) => nameOf(id, agents));
  return <bdi className={styles.breakable}>{names.join(', ')}</bdi>;
}

/** The word for `automation` of a key. */
export function AutomationTag(): ReactNode {
  return (
    <Tag>
      <span title="automation">no approvals</span>
    </Tag>
  );
}

function KeyName({ apiKey }: { apiKey: ApiKey }): ReactNode {
  const { name, kind, automation, prefix, last_four: lastFour, previous_expires_at: previous } = apiKey;
  const { role, last_used_at: used, expires_at: expiry } = apiKey;
  return (
    <>
      <bdi className={styles.breakable}>{name}</bdi>{' '}
      <Tag>
        <Word kind="keyKind" value={kind} />
      </Tag>{' '}
      {automation && <AutomationTag />}
      <div className={styles.second}>
        {kind === 'mcp' ? (
          'assistant with OAuth'
        ) : (
          <code>
            {prefix}…{lastFour}
          </code>
        )}
        {previous !== null && Date.parse(previous) > Date.now() && (
          <>
            {' '}
            · previous text valid, ends <Time at={previous} />
          </>
        )}
      </div>
      <div className={styles.narrow}>
        {role} ·{' '}
        {used === null ? (
          'never used'
        ) : (
          <>
            used <Time at={used} />
          </>
        )}
        {expiry !== null && (
          <>
            {' '}
            · expires <Expiry at={expiry} />
          </>
        )}
      </div>
    </>
  );
}

/** A key keeps its expiry when it is rotated, so only a new key continues its work. */
function Expiry({ at }: { at: string | null }): ReactNode {
  const state = expiryState(at, Date.now());
  if (at === null) return 'never';
  if (state === 'later') return <Time at={at} />;
  return (
    <span className={state === 'soon' ? styles.warning : styles.alarm}>
      <Time at={at} />
      <br />
      {state === 'soon' ? 'Create a new key soon.' : 'Expired. Create a new key.'}
    </span>
  );
}

function Actions({ apiKey }: { apiKey: ApiKey }): ReactNode {
  const rotate: MenuAction = {
    name: 'Rotate',
    children: (close) => <RotateKey apiKey={apiKey} onClose={close} />,
  };
  const revoke = confirmAction({
    name: 'Revoke',
    title: 'Revoke the API key?',
    run: () => aas.apiKeys.revoke(apiKey.id),
    changes: KEYS,
    children: (
      <>
        Programs that use <bdi>{apiKey.name}</bdi> are rejected from now on. This cannot be undone.
      </>
    ),
  });
  return (
    <ActionMenu label={`Actions of ${apiKey.name}`} actions={apiKey.kind === 'mcp' ? [revoke] : [rotate, revoke]} />
  );
}
