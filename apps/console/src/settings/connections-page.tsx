import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAgents } from '../data/agent-names.js';
import { aas, type Agent } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { one, type Search } from '../data/search.js';
import { useCaller, useRefusal } from '../data/session.js';
import { ActionMenu, confirmAction } from '../ui/action-menu.js';
import { CopyButton } from '../ui/copy-button.js';
import { type Column, PagedTable } from '../ui/data-table.js';
import { Notice } from '../ui/notice.js';
import { Disclosure, Empty } from '../ui/page.js';
import { AlertBox } from '../ui/problem.js';
import { Status } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { Authorise, authoriseAgain, changeAgents, CreateConnection, useProviderTitle } from './connection-dialogs.js';
import {
  type Connection,
  connectionProblem,
  CONNECTIONS,
  grantedAgents,
  refusalOfAuthorisation,
} from './connection-list.js';
import { ProviderTiles } from './provider-tiles.js';
import styles from './settings.module.css';
import { SettingsFrame } from './settings-frame.js';

/** Page that lists the connections. After an authorisation at a provider, the browser returns to this page. */
export function ConnectionsPage(): ReactNode {
  const search: Search = useSearch({ strict: false });
  const refusal = useRefusal('connections:read');
  const writing = useRefusal('connections:write');
  const mayList = useCaller() !== undefined && refusal === null;
  const list = usePagedList(CONNECTIONS, (page) => aas.connections.list({ ...page, limit: 100 }), { enabled: mayList });
  const agents = useAgents();
  const connected = list.items.find(({ id }) => id === one(search.connected));
  const code = one(search.error);
  return (
    <SettingsFrame
      title="Connections"
      busy={list.isPending}
      error={list.error}
      refusal={refusal}
      actions={<CreateConnection refusal={writing} />}
    >
      {code !== undefined && <AlertBox title="The connection is not authorised" {...refusalOfAuthorisation(code)} />}
      {connected?.status === 'active' && (
        <Notice tone="green" title={`${connected.name} is connected`}>
          <p>Tools of the agents that it is granted to can use it now.</p>
        </Notice>
      )}
      <PagedTable
        label="Connections"
        columns={columns(agents, writing)}
        rowKey={({ id }) => id}
        list={list}
        empty={
          <Empty title="No connection yet">
            <p>
              A person authorises a connection to another service once. The agents that it is granted to then call this
              service in the name of the person, without a secret in the definition.
            </p>
            <ProviderTiles refusal={writing} />
            <details className={styles.disclosure}>
              <summary>How a tool uses a connection</summary>
              <pre>{USE}</pre>
              <CopyButton text={USE} name="Copy tool" />
            </details>
          </Empty>
        }
      />
    </SettingsFrame>
  );
}

const USE = `tools:
  - name: drive
    type: http
    base_url: https://www.googleapis.com/drive/v3
    auth: { type: oauth2, connection: <name> }`;

function columns(agents: readonly Agent[], refusal: string | null): readonly Column<Connection>[] {
  return [
    { name: 'Name', cell: (connection) => <Name connection={connection} agents={agents} /> },
    { name: 'Status', cell: (connection) => <State connection={connection} refusal={refusal} /> },
    {
      name: 'Agents',
      kind: 'optional',
      cell: ({ agents: granted }) => <Granted to={grantedAgents(granted, agents)} />,
    },
    { name: 'Authorised', kind: 'optional', cell: (connection) => <Authorised connection={connection} /> },
    { name: 'Last used', kind: 'optional', cell: ({ last_used_at: at }) => (at === null ? 'never' : <Time at={at} />) },
    {
      name: 'Actions',
      kind: 'actions',
      cell: (connection) => <Actions connection={connection} refusal={refusal} />,
    },
  ];
}

interface NameProps {
  connection: Connection;
  agents: readonly Agent[];
}

function Name({ connection: { name, provider, account, agents: granted }, agents }: NameProps): ReactNode {
  const title = useProviderTitle(provider);
  return (
    <>
      <bdi className={styles.breakable}>{name}</bdi>
      <div className={styles.second}>
        <bdi className={styles.breakable}>{account === null ? title : `${account} at ${title}`}</bdi>
      </div>
      <div className={styles.narrow}>
        <Granted to={grantedAgents(granted, agents)} />
      </div>
    </>
  );
}

/** If the connection cannot be used, or fails, says since when, why, and offers to authorise it again. */
function State({ connection, refusal }: ActionsProps): ReactNode {
  const { status, provider, error } = connection;
  const problem = connectionProblem(connection, useProviderTitle(provider));
  return (
    <div className={styles.state}>
      <span>
        <Status value={status} /> {error?.at && <Time at={error.at} />}
      </span>
      {problem && (
        <p className={styles.second}>
          {problem.detail} {problem.remedy}
        </p>
      )}
      {error !== null && (
        <Disclosure summary="Reason">
          <p className={styles.breakable}>{error.message}</p>
        </Disclosure>
      )}
      {problem && <Authorise connection={connection} refusal={refusal} />}
    </div>
  );
}

function Granted({ to }: { to: ReturnType<typeof grantedAgents> }): ReactNode {
  if (to.length === 0) return <span className={styles.second}>no agents</span>;
  return (
    <ul className={styles.breakable}>
      {to.map(({ id, name }) => (
        <li key={name}>
          {id === undefined ? (
            `${name} (no agent yet)`
          ) : (
            <Link to="/agents/$id" params={{ id }} className={styles.inText}>
              {name}
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
}

function Authorised({ connection: { authorized_by: by, authorized_at: at } }: { connection: Connection }): ReactNode {
  if (by === null || at === null) return 'never';
  return (
    <>
      <Time at={at} /> by <bdi className={styles.breakable}>{by}</bdi>
    </>
  );
}

interface ActionsProps {
  connection: Connection;
  refusal: string | null;
}

function Actions({ connection, refusal }: ActionsProps): ReactNode {
  const remove = confirmAction({
    name: 'Delete',
    title: 'Delete the connection?',
    run: () => aas.connections.delete(connection.id),
    changes: CONNECTIONS,
    children: (
      <>
        The authorisation of <bdi>{connection.name}</bdi> is revoked at the provider, and calls of tools that use it
        fail from now on.
      </>
    ),
  });
  const isOffered = connection.status === 'active' && connection.error === null;
  const actions = [...(isOffered ? [authoriseAgain(connection)] : []), changeAgents(connection), remove];
  return <ActionMenu label={`Actions of ${connection.name}`} actions={actions} refusal={refusal} />;
}
