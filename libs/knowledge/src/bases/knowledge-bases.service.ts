import { ConnectionTokensService } from '@app/connections';
import {
  DomainError,
  invariant,
  isId,
  type JsonObject,
  newId,
  notFound,
  type Page,
  type PageRequest,
} from '@app/kernel';
import { type KnowledgeConfig, knowledgeConfig } from './knowledge.config.js';
import { Transactions } from '@app/platform/database';
import {
  type AuditEntry,
  AuditLogService,
  type IdempotencyClaim,
  IdempotencyStore,
  type OnceOnly,
  type Principal,
} from '@app/workspace';
import { type ModelsConfig, modelsConfig } from '@app/platform/models';
import { Inject, Injectable } from '@nestjs/common';
import { assertEmbeds } from '../embedding/embedding.client.js';
import { invalidRequest } from '@app/platform/json-shape';
import type { BaseContents, KnowledgeBaseEntity } from './knowledge-base.entity.js';
import {
  type KnowledgeBaseChange,
  type KnowledgeBaseFilter,
  KnowledgeBaseRepository,
} from './knowledge-base.repository.js';
import { changeSettings, indexSettings, readSettings } from './knowledge-settings.js';
import { UploadBytesService } from '../uploads/upload-bytes.service.js';
import { type IndexChange, type IndexProgress, indexProgressOf, planIndexChange } from './base-index.js';

export const NO_CONTENTS: BaseContents = {
  sources: { total: 0, syncing: 0, failing: 0, expired: 0 },
  grants: { users: 0, groups: 0, channels: 0, agents: 0 },
};

export interface CreateKnowledgeBase {
  name: string;
  description?: string;
  region?: string;
  settings?: JsonObject;
}

export interface ChangeKnowledgeBase {
  name?: string;
  description?: string;
  settings?: JsonObject;
}

@Injectable()
export class KnowledgeBasesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly requests: IdempotencyStore,
    private readonly bases: KnowledgeBaseRepository,
    private readonly tokens: ConnectionTokensService,
    private readonly audit: AuditLogService,
    private readonly uploads: UploadBytesService,
    @Inject(knowledgeConfig.KEY) private readonly config: KnowledgeConfig,
    @Inject(modelsConfig.KEY) private readonly models: ModelsConfig,
  ) {}

  /**
   * A repeated request with the same idempotency claim returns the same knowledge base.
   * @throws DomainError `invalid_request` for the region or the settings, `name_taken`, and the errors of {@link
   * IdempotencyStore.runOnce}
   */
  async create(
    actor: Principal,
    { name, description = '', region, settings }: CreateKnowledgeBase,
    claim?: IdempotencyClaim,
  ): Promise<OnceOnly<KnowledgeBaseEntity>> {
    const { workspaceId, email: createdBy } = actor;
    const place = { region: this.regionOrDefault(region), settings: readSettings(settings ?? {}) };
    const indexed = indexSettings(place.settings);
    if (indexed.embedding) assertEmbeds(this.models, indexed.embedding.provider);
    return this.requests.runOnce(workspaceId, claim, async (transaction) => {
      const id = newId('knowledgeBase');
      const base = { id, workspaceId, name, description, createdBy, indexed, ...place };
      if (!(await this.bases.insert(base, transaction))) throw nameTaken(name);
      const entry: AuditEntry = { action: 'knowledge_base.create', target: id, detail: { name, ...place } };
      await this.audit.record(actor, entry, transaction);
      const made = await this.bases.lock(workspaceId, id, transaction);
      invariant(made, 'a knowledge base that was inserted can be read');
      return made;
    });
  }

  async list(
    workspaceId: string,
    { name, ...page }: PageRequest & KnowledgeBaseFilter,
  ): Promise<Page<KnowledgeBaseEntity>> {
    return this.bases.readPage(workspaceId, { name }, page);
  }

  /** Ignores deleted bases. */
  async idByName(workspaceId: string, name: string): Promise<string | undefined> {
    const { data } = await this.list(workspaceId, { name, limit: 1, order: 'asc' });
    return data[0]?.id;
  }

  async unknownAmong(workspaceId: string, names: readonly string[]): Promise<ReadonlySet<string>> {
    const known = (await this.bases.findNamed(workspaceId, names)).flatMap(({ id, name }) => [id, name]);
    return new Set(names.filter((name) => !known.includes(name)));
  }

  /** @throws DomainError `not_found`, also for a deleted knowledge base and for a base of another workspace */
  async get(workspaceId: string, id: string): Promise<KnowledgeBaseEntity> {
    const base = isId('knowledgeBase', id) ? await this.bases.find(workspaceId, id) : null;
    if (!base) throw notFound('knowledge base', id);
    return base;
  }

  async change(actor: Principal, id: string, wanted: ChangeKnowledgeBase): Promise<KnowledgeBaseEntity> {
    const { workspaceId } = actor;
    await this.transactions.run(async (transaction) => {
      const base = await this.bases.lock(workspaceId, id, transaction);
      if (!base) throw notFound('knowledge base', id);
      const { settings, ...words } = wanted;
      const change: KnowledgeBaseChange = words;
      let index: IndexChange = {};
      if (settings) {
        change.settings = changeSettings(base.settings, settings);
        const { embedding } = change.settings;
        // An unchanged provider is not checked: if the operator has removed it, the other settings can still be
        // changed.
        if (embedding && embedding.provider !== base.settings.embedding?.provider)
          assertEmbeds(this.models, embedding.provider);
        index = planIndexChange(base, change.settings);
      }
      if (!(await this.bases.updateBase(base, change, index, transaction))) throw nameTaken(words.name ?? base.name);
      await this.audit.record(
        actor,
        { action: 'knowledge_base.update', target: id, detail: { ...change } },
        transaction,
      );
    });
    return this.get(workspaceId, id);
  }

  /** After the commit, searches no longer find its documents. A worker purges them later. */
  async delete(actor: Principal, id: string): Promise<void> {
    await this.transactions.run(async (transaction) => {
      const gone = await this.bases.markDeleted(actor.workspaceId, id, transaction);
      if (!gone) throw notFound('knowledge base', id);
      const sources = await this.bases.readSourceIds(actor.workspaceId, id, transaction);
      await this.tokens.removeTokens(actor.workspaceId, sources, transaction);
      await this.uploads.removeAll(actor.workspaceId, sources, transaction);
      await this.audit.record(actor, { action: 'knowledge_base.delete', target: id, detail: {} }, transaction);
    });
  }

  async readIndexProgress(
    workspaceId: string,
    bases: readonly KnowledgeBaseEntity[],
  ): Promise<ReadonlyMap<string, IndexProgress>> {
    const busy = bases.filter(({ indexDueAt }) => indexDueAt !== null);
    if (busy.length === 0) return new Map();
    const ids = busy.map(({ id }) => id);
    const counts = new Map((await this.bases.countIndexWork(workspaceId, ids)).map((count) => [count.id, count]));
    return new Map(busy.map((base) => [base.id, indexProgressOf(base, counts.get(base.id))]));
  }

  async countContents(
    workspaceId: string,
    bases: readonly KnowledgeBaseEntity[],
  ): Promise<ReadonlyMap<string, BaseContents>> {
    if (bases.length === 0) return new Map();
    const ids = bases.map(({ id }) => id);
    return new Map((await this.bases.countContents(workspaceId, ids)).map(({ id, ...counts }) => [id, counts]));
  }

  get regions(): readonly string[] {
    return this.config.regions;
  }

  private regionOrDefault(region: string | undefined): string {
    const [first] = this.config.regions;
    invariant(first !== undefined, 'an installation has at least one region');
    if (region === undefined || this.config.regions.includes(region)) return region ?? first;
    const detail = `region must be one of ${this.config.regions.join(', ')}.`;
    throw invalidRequest([{ pointer: '/region', detail }]);
  }
}

function nameTaken(name: string): DomainError {
  const detail = `Another knowledge base of this workspace is called ${JSON.stringify(name)}.`;
  return new DomainError('name_taken', detail, { errors: [{ pointer: '/name', detail }] });
}
