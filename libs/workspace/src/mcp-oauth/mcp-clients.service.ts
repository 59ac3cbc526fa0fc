import { DomainError, isId, newId, notFound, type Page, type PageRequest } from '@app/kernel';
import { Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { ApiKeyRepository } from '../api-key.repository.js';
import { AuditLogService } from '../audit-log.service.js';
import { type IdempotencyClaim, IdempotencyStore, type OnceOnly } from '../idempotency.store.js';
import type { Principal } from '../principal.js';
import type { McpClientEntity } from './mcp-client.entity.js';
import { McpClientRepository } from './mcp-client.repository.js';
import { isRedirectUri } from './redirect-uris.js';

@Injectable()
export class McpClientsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly requests: IdempotencyStore,
    private readonly clients: McpClientRepository,
    private readonly keys: ApiKeyRepository,
    private readonly audit: AuditLogService,
  ) {}

  async list(workspaceId: string, page: PageRequest): Promise<Page<McpClientEntity>> {
    return this.clients.page(workspaceId, page);
  }

  find(clientId: string): Promise<McpClientEntity | undefined> {
    return isId('mcpClient', clientId) ? this.clients.find(clientId) : Promise.resolve(undefined);
  }

  /**
   * Registers a client for the members of the workspace.
   * @throws DomainError `invalid_request` for a redirect address that is neither https nor on loopback, and the errors
   *   of {@link IdempotencyStore.runOnce}
   */
  create(
    actor: Principal,
    { name, redirectUris }: { name: string; redirectUris: readonly string[] },
    claim?: IdempotencyClaim,
  ): Promise<OnceOnly<McpClientEntity>> {
    assertRedirectUris(redirectUris);
    const { workspaceId } = actor;
    return this.requests.runOnce(workspaceId, claim, async (transaction) => {
      const id = newId('mcpClient');
      const client = await this.clients.insert({ id, workspaceId, name, redirectUris: [...redirectUris] }, transaction);
      const detail = { name, redirect_uris: [...redirectUris] };
      await this.audit.record(actor, { action: 'oauth_client.create', target: id, detail }, transaction);
      return client;
    });
  }

  /**
   * Stores a client that registers itself. Without a name, it is called like the host of its redirect address.
   * @throws DomainError `invalid_request`
   */
  async register(
    given: string | undefined,
    redirectUris: readonly [string, ...string[]],
  ): Promise<{ id: string; name: string }> {
    assertRedirectUris(redirectUris);
    const id = newId('mcpClient');
    const name = given === undefined || given.trim() === '' ? new URL(redirectUris[0]).host : given;
    await this.clients.register(id, name, redirectUris);
    return { id, name };
  }

  /**
   * Deletes a client of the workspace and revokes the keys that it received.
   * @throws DomainError `not_found`
   */
  async delete(actor: Principal, clientId: string): Promise<void> {
    const { workspaceId } = actor;
    await this.transactions.run(async (transaction) => {
      const client = isId('mcpClient', clientId) ? await this.clients.delete(workspaceId, clientId, transaction) : null;
      if (!client) throw notFound('client', clientId);
      for (const keyId of await this.clients.keysOf(workspaceId, clientId, transaction)) {
        for (const { id: target, name } of await this.keys.revoke(workspaceId, keyId, transaction)) {
          await this.audit.record(actor, { action: 'api_key.delete', target, detail: { name } }, transaction);
        }
      }
      const detail = { name: client.name };
      await this.audit.record(actor, { action: 'oauth_client.delete', target: clientId, detail }, transaction);
    });
  }
}

/** @throws DomainError `invalid_request` */
function assertRedirectUris(redirectUris: readonly string[]): void {
  const errors = redirectUris.flatMap((uri, index) => {
    if (isRedirectUri(uri)) return [];
    const detail = `${JSON.stringify(uri)} is not a redirect address. Write an https address, or an http address at localhost, 127.0.0.1 or [::1], without a fragment.`;
    return [{ pointer: `/redirect_uris/${index}`, detail }];
  });
  if (errors[0]) throw new DomainError('invalid_request', errors[0].detail, { errors });
}
