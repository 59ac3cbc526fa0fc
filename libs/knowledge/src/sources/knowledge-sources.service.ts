import {
  isId,
  type JsonObject,
  type JsonValue,
  newId,
  notFound,
  type Page,
  type PageRequest,
  toPage,
} from '@app/kernel';
import { Transactions, type Transaction } from '@app/platform/database';
import { type IdempotencyClaim, IdempotentRequests, type Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { KnowledgeBasesService } from '../bases/knowledge-bases.service.js';
import { SourceRemoval } from './source-removal.service.js';
import { KnowledgeSourceRepository, type SourceChange, type SourcePlace } from './store/knowledge-source.repository.js';
import type { KnowledgeSourceEntity } from './store/knowledge-source.entity.js';
import { SourceSettingsService, type WantedSource } from './source-settings.service.js';

export interface ChangeSource {
  /** Merged into the configuration there is, field by field. */
  config?: JsonObject;
  schedule?: JsonValue;
  /** `paused` keeps the schedule from firing; `active` takes it up again. */
  status?: 'active' | 'paused';
}

/** Where the documents of bases come from. */
@Injectable()
export class KnowledgeSourcesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly requests: IdempotentRequests,
    private readonly bases: KnowledgeBasesService,
    private readonly sources: KnowledgeSourceRepository,
    private readonly settings: SourceSettingsService,
    private readonly removal: SourceRemoval,
  ) {}

  /**
   * A source that has not been synced yet. With a claim, the same request gets the same source and the same answer.
   * @throws DomainError `not_found` (the base), `invalid_request` with pointers, `oauth_required` with `authorize_url`,
   * `unknown_reference` (a secret), and what {@link IdempotentRequests.once} throws
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
    const { result, replayed } = await this.requests.once(workspaceId, claim, async (transaction) => {
      const now = await this.sources.now(transaction);
      const settings = await this.settings.read(workspaceId, wanted, now, transaction);
      const place = { id: newId('source'), workspaceId, knowledgeBaseId };
      await this.sources.insert({ ...place, ...settings, createdBy: actor.email }, transaction);
      const { connector, schedule } = settings;
      const detail = { knowledge_base: knowledgeBaseId, connector, schedule };
      await this.settings.audit.record(actor, { action: 'source.create', target: place.id, detail }, transaction);
      return (await this.sources.lock(place, transaction)) ?? this.gone(place.id);
    });
    return { source: result, replayed };
  }

  /** By creation. @throws DomainError `not_found` */
  async list(workspaceId: string, knowledgeBaseId: string, page: PageRequest): Promise<Page<KnowledgeSourceEntity>> {
    await this.bases.get(workspaceId, knowledgeBaseId);
    return toPage(await this.sources.page(workspaceId, knowledgeBaseId, page), page.limit);
  }

  /** @throws DomainError `not_found`, also for a source of another base */
  async get(workspaceId: string, knowledgeBaseId: string, id: string): Promise<KnowledgeSourceEntity> {
    await this.bases.get(workspaceId, knowledgeBaseId);
    const source = isId('source', id) ? await this.sources.find({ workspaceId, knowledgeBaseId, id }) : null;
    return source ?? this.gone(id);
  }

  /** @throws DomainError `not_found`, `invalid_request` with pointers, `unknown_reference` (a secret) */
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
      const source = (await this.sources.lock(place, transaction)) ?? this.gone(id);
      const change = await this.changeOf(source, wanted, transaction);
      await this.sources.change(place, change, transaction);
      const detail = { fields: Object.keys(wanted), ...(change.schedule && { schedule: change.schedule }) };
      await this.settings.audit.record(actor, { action: 'source.update', target: id, detail }, transaction);
    });
    return this.get(workspaceId, knowledgeBaseId, id);
  }

  /**
   * From the commit on nobody finds the source or a text that it brought; what it held is cleared away afterwards.
   * @throws DomainError `not_found`
   */
  async delete(actor: Principal, knowledgeBaseId: string, id: string): Promise<void> {
    await this.bases.get(actor.workspaceId, knowledgeBaseId);
    const place: SourcePlace = { workspaceId: actor.workspaceId, knowledgeBaseId, id };
    await this.transactions.run(async (transaction) => {
      if (!(await this.sources.lock(place, transaction))) this.gone(id);
      await this.removal.remove(place, transaction);
      await this.sources.markDeleted(place, transaction);
      await this.settings.audit.record(actor, { action: 'source.delete', target: id, detail: {} }, transaction);
    });
  }

  private async changeOf(
    source: KnowledgeSourceEntity,
    wanted: ChangeSource,
    transaction: Transaction,
  ): Promise<SourceChange> {
    const now = await this.sources.now(transaction);
    const change = await this.settings.change(source, wanted, now, transaction);
    return { ...change, ...(wanted.status && { status: wanted.status }) };
  }

  private gone(id: string): never {
    throw notFound('source', id);
  }
}
