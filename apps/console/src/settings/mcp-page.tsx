import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import {
  MCP_CLIENT_FILES,
  MCP_CLIENTS,
  type McpClient,
  mcpClientConfig,
} from '../../../../packages/sdk/src/mcp-clients.js';
import { useAgents } from '../data/agent-names.js';
import { aas } from '../data/api.js';
import { usePagedList } from '../data/paged-list.js';
import { useRefusal } from '../data/session.js';
import { CopyButton } from '../ui/copy-button.js';
import { type Column, PagedTable } from '../ui/data-table.js';
import { Choice } from '../ui/field.js';
import { Card, Empty, Facts } from '../ui/page.js';
import { Tag } from '../ui/status.js';
import { Time } from '../ui/time.js';
import { word } from '../data/words.js';
import { type ApiKey, KEYS } from './key-dialogs.js';
import { AutomationTag, KeyAgents } from './keys-page.js';
import styles from './settings.module.css';
import { SettingsFrame } from './settings-frame.js';

const ADDRESSES = [
  { value: 'work', label: 'use agents', path: '/v1/mcp' },
  { value: 'author', label: 'build agents', path: '/v1/mcp/author' },
] as const;

export function McpPage(): ReactNode {
  return (
    <SettingsFrame title="Assistants">
      <Card title="Addresses">
        <Facts
          facts={ADDRESSES.map(({ path, label }) => [`To ${label}`, <code key={path}>{location.origin + path}</code>])}
        />
      </Card>
      <ClientSettings />
      <OauthHint />
      <ExposedAgents />
      <Keys />
    </SettingsFrame>
  );
}

function ClientSettings(): ReactNode {
  const [client, setClient] = useState<McpClient>('claude-code');
  const [use, setUse] = useState<string>('work');
  const text = mcpClientConfig(client, { address: location.origin, forAuthors: use === 'author' });
  return (
    <Card
      title="Settings of an assistant"
      actions={
        <div>
          <CopyButton text={text} />
        </div>
      }
    >
      <div className={styles.pair}>
        <Choice
          label="Assistant"
          value={client}
          onChange={(value) => setClient(MCP_CLIENTS.find((each) => each === value) ?? client)}
          options={MCP_CLIENTS.map((value) => ({ value }))}
        />
        <Choice label="Purpose" value={use} onChange={setUse} options={ADDRESSES} />
      </div>
      <p>
        Add this to <code>{MCP_CLIENT_FILES[client]}</code>, and set the variable <code>AAS_API_KEY</code> to an API
        key.
      </p>
      <pre className={styles.snippet} aria-label="Settings">
        {text}
      </pre>
    </Card>
  );
}

/** The metadata of the address exists only if the operator has switched OAuth on. */
function OauthHint(): ReactNode {
  const { data: offersOauth } = useQuery({
    queryKey: ['mcp-oauth'],
    queryFn: async () => (await fetch('/.well-known/oauth-authorization-server', { method: 'HEAD' })).ok,
    staleTime: Infinity,
  });
  if (offersOauth !== true) return null;
  return (
    <Card title="OAuth">
      <p>
        An assistant that supports OAuth needs no API key. Enter the address in the assistant, sign in here, and choose
        its agents. An admin ends its access by revoking its key under API keys.
      </p>
    </Card>
  );
}

function ExposedAgents(): ReactNode {
  const exposed = useAgents().filter(({ mcp_tool: tool }) => tool !== null);
  return (
    <Card title="Exposed agents">
      {exposed.length === 0 ? (
        <p>
          No agent is a tool. Add <code>{'expose: { mcp: {} }'}</code> to a definition, and promote the version.
        </p>
      ) : (
        <ul>
          {exposed.map(({ id, name, effective_status: status, mcp_tool: tool }) => (
            <li key={id}>
              <Link to="/agents/$id" params={{ id }}>
                {name}
              </Link>{' '}
              as the tool <code>{tool}</code> {status !== 'active' && <Tag>{word('status', status)}</Tag>}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Keys(): ReactNode {
  const refusal = useRefusal('keys:manage');
  const list = usePagedList(KEYS, (page) => aas.apiKeys.list({ ...page, limit: 100 }), { enabled: refusal === null });
  return (
    <Card title="API keys" flush>
      {refusal === null ? (
        <PagedTable
          label="API keys"
          columns={COLUMNS}
          rowKey={({ id }) => id}
          list={list}
          empty={
            <Empty title="No API key">
              <p>An assistant signs in with an API key.</p>
            </Empty>
          }
        />
      ) : (
        <Empty title="You may not see this list">
          <p>{refusal}</p>
        </Empty>
      )}
    </Card>
  );
}

const COLUMNS: readonly Column<ApiKey>[] = [
  {
    name: 'Name',
    cell: ({ name, kind, automation }) => (
      <>
        <bdi className={styles.breakable}>{name}</bdi> {kind === 'mcp' && <Tag>OAuth</Tag>}{' '}
        {automation && <AutomationTag />}
      </>
    ),
  },
  { name: 'Role', cell: ({ role }) => role },
  { name: 'Agents', cell: ({ agents }) => (agents === null ? 'all' : <KeyAgents ids={agents} />) },
  { name: 'Last used', cell: ({ last_used_at: at }) => (at === null ? 'never' : <Time at={at} />) },
];
