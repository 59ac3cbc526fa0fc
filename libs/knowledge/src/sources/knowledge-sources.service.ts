import { isId, type JsonObject, type JsonValue, newId, notFound, type Page, type PageRequest } from '@app/kernel';
import { Transactions, type Transaction } from '@app/platform/database';
import { type IdempotencyClaim, IdempotencyStore, type Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { ConnectionTokensService } from '@app/connections';
import { KnowledgeBasesService } from '../bases/knowledge-bases.service.js';
import { DocumentIndexService } from '../documents/document-index.service.js';
import { KnowledgeSyncRepository } from '../syncs/knowledge-sync.repository.js';
import { KnowledgeSourceRepository, type SourceChange, type SourcePlace } from './store/knowledge-source.repository.js';
import type { KnowledgeSourceEntity } from './store/knowledge-source.entity.js';
import { SourceSettingsService, type WantedSource } from './source-settings.service.js';

export interface ChangeSource {
  config?: JsonObject;
  schedule?: JsonValue;
  status?: 'active' | 'paused';
}

@Injectable()
export class KnowledgeSourcesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly requests: IdempotencyStore,
    private readonly bases: KnowledgeBasesService,
    private readonly sources: KnowledgeSourceRepository,
    private readonly settings: SourceSettingsService,
    private readonly index: DocumentIndexService,
    private readonly syncs: KnowledgeSyncRepository,
    private readonly tokens: ConnectionTokensService,
  ) {}

  /**
   * With an idempotency claim, a repeated request returns the same source.
   * @throws DomainError `not_found` (no such knowledge base), `invalid_request` with pointers, `oauth_required` with
   * `authorize_url`, `unknown_reference` (no such secret), and the errors of {@link IdempotencyStore.runOnce}
   */
  async create(
    actor: Principal,
    knowledgeBaseId: string,
    wanted: WantedSource,
    claim?: IdempotencyClaim,
  ): Promise<{ source: KnowledgeSourceEntity; replayed: boolean }> {
    const { workspaceId } = actor;
    await this.bases.get(workspaceId, knowledgeBaseId);
    await this.settings.assertNoOauth(actor, knowledgeBaseId, wanted);
    const { result, replayed } = await this.requests.runOnce(workspaceId, claim, async (transaction) => {
      const now = await this.sources.readNow(transaction);
      const settings = await this.settings.read(workspaceId, wanted, now, transaction);
      const place = { id: newId('source'), workspaceId, knowledgeBaseId };
      await this.sources.insert({ ...place, ...settings, createdBy: actor.email }, transaction);
      const { connector, schedule } = settings;
      const detail = { knowledge_base: knowledgeBaseId, connector, schedule };
      await this.settings.audit.record(actor, { action: 'source.create', target: place.id, detail }, transaction);
      return (await this.sources.lock(place, transaction)) ?? this.throwNotFound(place.id);
    });
    return { source: result, replayed };
  }

  async list(workspaceId: string, knowledgeBaseId: string, page: PageRequest): Promise<Page<KnowledgeSourceEntity>> {
    await this.bases.get(workspaceId, knowledgeBaseId);
    return this.sources.readPage(workspaceId, knowledgeBaseId, page);
  }

  async get(workspaceId: string, knowledgeBaseId: string, id: string): Promise<KnowledgeSourceEntity> {
    await this.bases.get(workspaceId, knowledgeBaseId);
    const source = isId('source', id) ? await this.sources.find({ workspaceId, knowledgeBaseId, id }) : null;
    return source ?? this.throwNotFound(id);
  }

  /** @throws DomainError `not_found`, `invalid_request` with pointers, `unknown_reference` (no such secret) */
  async change(
    actor: Principal,
    knowledgeBaseId: string,
    id: string,
    wanted: ChangeSource,
  ): Promise<KnowledgeSourceEntity> {
    const { workspaceId } = actor;
    await this.bases.get(workspaceId, knowledgeBaseId);
    const place = { workspaceId, knowledgeBaseId, id };
    await this.transactions.run(async (transaction) => {
      const source = (await this.sources.lock(place, transaction)) ?? this.throwNotFound(id);
      const change = await this.changeOf(source, wanted, transaction);
      await this.sources.updateSource(place, change, transaction);
      const detail = { fields: Object.keys(wanted), ...(change.schedule && { schedule: change.schedule }) };
      await this.settings.audit.record(actor, { action: 'source.update', target: id, detail }, transaction);
    });
    return this.get(workspaceId, knowledgeBaseId, id);
  }

  /**
   * A worker purges them later.
   * @throws DomainError `not_found`
   */
  async delete(actor: Principal, knowledgeBaseId: string, id: string): Promise<void> {
    await this.bases.get(actor.workspaceId, knowledgeBaseId);
    const place: SourcePlace = { workspaceId: actor.workspaceId, knowledgeBaseId, id };
    await this.transactions.run(async (transaction) => {
      if (!(await this.sources.lock(place, transaction))) this.throwNotFound(id);
      await this.syncs.cancelOpen(place.workspaceId, id, transaction);
      await this.index.removeSource({ ...place, sourceId: id }, transaction);
      await this.tokens.removeTokens(place.workspaceId, [id], transaction);
      await this.sources.markDeleted(place, transaction);
      await this.settings.audit.record(actor, { action: 'source.delete', target: id, detail: {} }, transaction);
    });
  }

  private async changeOf(
    source: KnowledgeSourceEntity,
    wanted: ChangeSource,
    transaction: Transaction,
  ): Promise<SourceChange> {
    const now = await this.sources.readNow(transaction);
    const change = await this.settings.change(source, wanted, now, transaction);
    return { ...change, ...(wanted.status && { status: wanted.status }) };
  }

  private throwNotFound(id: string): never {
    throw notFound('source', id);
  }
}
