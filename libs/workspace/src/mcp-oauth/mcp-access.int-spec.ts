import { newId } from '@app/kernel';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/postgres.js';
import { mcpTokenId } from '../mcp-token-id.js';

const PAST = "clock_timestamp() - interval '2 days'";
const FUTURE = "clock_timestamp() + interval '1 day'";

describe('the sweep of what MCP clients no longer need', () => {
  let database: TestDatabase;
  let postgres: Client;
  const workspace = newId('workspace');
  const member = newId('member');

  beforeAll(async () => {
    database = await createTestDatabase();
    postgres = new Client({ connectionString: database.url });
    await postgres.connect();
    await postgres.query('insert into workspaces (id, name) values ($1, $1)', [workspace]);
    await postgres.query(
      "insert into members (id, workspace_id, email, role) values ($1, $2, 'ada@example.com', 'admin')",
      [member, workspace],
    );
  });
  afterAll(async () => {
    await postgres.end();
    await database.drop();
  });

  async function aKey(kind: string, expiresAt: string): Promise<string> {
    const id = newId('apiKey');
    await postgres.query(
      `insert into api_keys (id, workspace_id, member_id, name, kind, role, hash, prefix, last_four, expires_at)
       values ($1, $2, $3, 'client', $4, 'viewer', $5, '', '', ${expiresAt})`,
      [id, workspace, member, kind, Buffer.from(id)],
    );
    return id;
  }

  async function aToken(key: string, expiresAt: string, client = 'a client'): Promise<string> {
    const id = mcpTokenId('RefreshToken', newId('request'));
    await postgres.query(
      `insert into mcp_tokens (id, kind, workspace_id, key_id, client_id, sealed, expires_at)
       values ($1, 'RefreshToken', $2, $3, $4, '\\x00', ${expiresAt})`,
      [id, workspace, key, client],
    );
    return id;
  }

  async function aClient(workspaceId: string | null): Promise<string> {
    const id = newId('mcpClient');
    await postgres.query(
      `insert into mcp_clients (id, workspace_id, name, redirect_uris, created_at)
       values ($1, $2, 'client', '{}', clock_timestamp() - interval '31 days')`,
      [id, workspaceId],
    );
    return id;
  }

  const aRequest = (id: string, expiresAt: string) =>
    postgres.query(`insert into mcp_requests (id, sealed, expires_at) values ($1, '\\x00', ${expiresAt})`, [id]);
  const idsOf = async (table: string): Promise<string[]> =>
    (await postgres.query<{ id: string }>(`select id from ${table} order by id`)).rows.map(({ id }) => id);

  it('deletes it, and keeps every other key, client and token', async () => {
    const [live, endless] = [await aKey('live', PAST), await aKey('mcp', FUTURE)];
    await aToken(await aKey('mcp', PAST), FUTURE);
    const token = await aToken(endless, FUTURE);
    await aToken(endless, PAST);
    const [registered, used] = [await aClient(workspace), await aClient(null)];
    await aClient(null);
    const ofUsed = await aToken(endless, FUTURE, used);
    await aRequest('old', PAST);
    await aRequest('new', FUTURE);

    const { rows } = await postgres.query<{ purged: number }>('select workspace.purge_mcp_access(100) as purged');
    expect(rows).toEqual([{ purged: 4 }]);
    expect(await idsOf('api_keys')).toEqual([live, endless].sort());
    expect(await idsOf('mcp_tokens')).toEqual([token, ofUsed].sort());
    expect(await idsOf('mcp_clients')).toEqual([registered, used].sort());
    expect(await idsOf('mcp_requests')).toEqual(['new']);
  });
});
