import {
  DomainError,
  invariant,
  isId,
  type JsonObject,
  newId,
  notFound,
  type Page,
  type PageRequest,
  toPage,
} from '@app/kernel';
import { ENV, type Env } from '@app/platform/config';
import { Transactions } from '@app/platform/database';
import { AuditLog, type Principal } from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { invalidRequest } from '../json-shape.js';
import type { KnowledgeBase } from './knowledge-base.entity.js';
import {
  type KnowledgeBaseChange,
  type KnowledgeBaseFilter,
  KnowledgeBaseRepository,
} from './knowledge-base.repository.js';
import { changeSettings, indexSettings, readSettings } from './knowledge-settings.js';
import { type IndexChange, wantedIndex } from './wanted-index.js';

export interface CreateKnowledgeBase {
  name: string;
  description?: string;
  /** Default: the first region of the installation. */
  region?: string;
  settings?: JsonObject;
}

export interface ChangeKnowledgeBase {
  name?: string;
  description?: string;
  /** Merged into the settings there are. */
  settings?: JsonObject;
}

/** Knowledge bases: what they are called, where they are kept and how they cut and find their documents. */
@Injectable()
export class KnowledgeBases {
  constructor(
    private readonly transactions: Transactions,
    private readonly bases: KnowledgeBaseRepository,
    private readonly audit: AuditLog,
    @Inject(ENV) private readonly env: Env,
  ) {}

  /** @throws DomainError `invalid_request` (region, settings), `name_taken` */
  async create(
    actor: Principal,
    { name, description = '', region, settings }: CreateKnowledgeBase,
  ): Promise<KnowledgeBase> {
    const { workspaceId, email: createdBy } = actor;
    const id = newId('knowledgeBase');
    const place = { region: this.offered(region), settings: readSettings(settings ?? {}) };
    const indexed = indexSettings(place.settings);
    await this.transactions.run(async (transaction) => {
      const base = { id, workspaceId, name, description, createdBy, indexed, ...place };
      if (!(await this.bases.insert(base, transaction))) throw nameTaken(name);
      const entry = { action: 'knowledge_base.create', target: id, detail: { name, ...place } };
      await this.audit.record(actor, entry, transaction);
    });
    return this.get(workspaceId, id);
  }

  /** By creation. */
  async list(workspaceId: string, { name, ...page }: PageRequest & KnowledgeBaseFilter): Promise<Page<KnowledgeBase>> {
    return toPage(await this.bases.page(workspaceId, { name }, page), page.limit);
  }

  /** Those of these ids and names that no base of the workspace has. */
  async unknownAmong(workspaceId: string, names: readonly string[]): Promise<ReadonlySet<string>> {
    const known = (await this.bases.named(workspaceId, names)).flatMap(({ id, name }) => [id, name]);
    return new Set(names.filter((name) => !known.includes(name)));
  }

  /** @throws DomainError `not_found`, also for a base of another workspace and for one that is deleted */
  async get(workspaceId: string, id: string): Promise<KnowledgeBase> {
    const base = isId('knowledgeBase', id) ? await this.bases.find(workspaceId, id) : null;
    if (!base) throw notFound('knowledge base', id);
    return base;
  }

  /** @throws DomainError `not_found`, `invalid_request` (settings), `name_taken` */
  async change(actor: Principal, id: string, wanted: ChangeKnowledgeBase): Promise<KnowledgeBase> {
    const { workspaceId } = actor;
    await this.transactions.run(async (transaction) => {
      const base = await this.bases.lock(workspaceId, id, transaction);
      if (!base) throw notFound('knowledge base', id);
      const { settings, ...words } = wanted;
      const change: KnowledgeBaseChange = words;
      let index: IndexChange = {};
      if (settings) {
        change.settings = changeSettings(base.settings, settings);
        index = wantedIndex(base, change.settings);
      }
      if (!(await this.bases.change(base, change, index, transaction))) throw nameTaken(words.name ?? base.name);
      await this.audit.record(
        actor,
        { action: 'knowledge_base.update', target: id, detail: { ...change } },
        transaction,
      );
    });
    return this.get(workspaceId, id);
  }

  /**
   * From the commit on nobody finds the base or a text of it; what it held is cleared away afterwards.
   * @throws DomainError `not_found`
   */
  async delete(actor: Principal, id: string): Promise<void> {
    await this.transactions.run(async (transaction) => {
      const gone = await this.bases.markDeleted(actor.workspaceId, id, transaction);
      if (!gone) throw notFound('knowledge base', id);
      await this.audit.record(actor, { action: 'knowledge_base.delete', target: id, detail: {} }, transaction);
    });
  }

  private offered(region: string | undefined): string {
    const [first] = this.env.regions;
    invariant(first !== undefined, 'an installation has at least one region');
    if (region === undefined || this.env.regions.includes(region)) return region ?? first;
    const detail = `region must be one of ${this.env.regions.join(', ')}.`;
    throw invalidRequest([{ pointer: '/region', detail }]);
  }
}

function nameTaken(name: string): DomainError {
  const detail = `Another knowledge base of this workspace is called ${JSON.stringify(name)}.`;
  return new DomainError('name_taken', detail, { errors: [{ pointer: '/name', detail }] });
}
