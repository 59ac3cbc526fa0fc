import type { Page, PageRequest } from '@app/kernel';
import { findPage, type Statement, Statements, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { McpClientEntity } from './mcp-client.entity.js';

// Reads across workspaces, because the workspace of a client is unknown until a person signs in.
const FIND: Statement = {
  name: 'workspace.find_mcp_client',
  text: `select id, workspace_id as "workspaceId", name, redirect_uris as "redirectUris", created_at as "createdAt"
    from mcp_clients where id = $1`,
};

const REGISTER: Statement = {
  name: 'workspace.register_mcp_client',
  text: 'insert into mcp_clients (id, name, redirect_uris) values ($1, $2, $3)',
};

const FIND_KEYS = `select distinct key_id as "keyId" from mcp_tokens where client_id = $1 and workspace_id = $2
  order by key_id`;

@Injectable()
export class McpClientRepository {
  constructor(
    @InjectRepository(McpClientEntity) private readonly table: Repository<McpClientEntity>,
    private readonly statements: Statements,
  ) {}

  async find(id: string): Promise<McpClientEntity | undefined> {
    return (await this.statements.query<McpClientEntity>(FIND, [id]))[0];
  }

  async register(id: string, name: string, redirectUris: readonly string[]): Promise<void> {
    await this.statements.query(REGISTER, [id, name, [...redirectUris]]);
  }

  async insert(client: Omit<McpClientEntity, 'createdAt'>, { manager }: Transaction): Promise<McpClientEntity> {
    const table = manager.getRepository(McpClientEntity);
    const row = table.create(client);
    await table.insert(row);
    return row;
  }

  page(workspaceId: string, page: PageRequest): Promise<Page<McpClientEntity>> {
    return findPage(this.table, { workspaceId }, page);
  }

  /** Deletes the client and returns it. Returns null if the workspace has no such client. */
  async delete(workspaceId: string, id: string, { manager }: Transaction): Promise<McpClientEntity | null> {
    const client = await manager.findOne(McpClientEntity, {
      where: { workspaceId, id },
      lock: { mode: 'pessimistic_write' },
    });
    if (client) await manager.delete(McpClientEntity, { workspaceId, id });
    return client;
  }

  async keysOf(workspaceId: string, id: string, { manager }: Transaction): Promise<string[]> {
    const keys = await manager.query<{ keyId: string }[]>(FIND_KEYS, [id, workspaceId]);
    return keys.map(({ keyId }) => keyId);
  }
}
