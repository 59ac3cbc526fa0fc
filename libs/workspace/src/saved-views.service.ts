import { DomainError, invariant, newId, notFound, type Page, type PageRequest } from '@app/kernel';
import { type Transaction, Transactions } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { type IdempotencyClaim, IdempotencyStore, type OnceOnly } from './idempotency.store.js';
import { agentsOf, type Principal } from './principal.js';
import type { SavedViewEntity } from './saved-view.entity.js';
import { SavedViewRepository, type ViewOwner } from './saved-view.repository.js';
import type { ViewScreen } from './view-screens.js';

const MAX_VIEWS = 100;

export interface ViewChange {
  name?: string;
  query?: string;
  shared?: boolean;
}

/**
 * Only the member sees the own views. Shared views belong to the workspace: every member sees them, and members who may
 * start runs change them.
 */
@Injectable()
export class SavedViewsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly requests: IdempotencyStore,
    private readonly views: SavedViewRepository,
  ) {}

  /** A key that is narrowed to agents sees no views, because their filters may name other agents. */
  async list(caller: Principal, screen: ViewScreen | undefined, page: PageRequest): Promise<Page<SavedViewEntity>> {
    return isNarrowed(caller) ? { data: [] } : this.views.page(caller, screen, page);
  }

  /** @throws DomainError `not_found` */
  async get(caller: Principal, id: string, transaction?: Transaction): Promise<SavedViewEntity> {
    const view = isNarrowed(caller) ? null : await this.views.find(caller, id, transaction);
    if (!view) throw notFound('saved view', id);
    return view;
  }

  /**
   * @throws DomainError `insufficient_scope` (a narrowed key, a shared view), `name_taken`, `limit_reached`, and the
   * errors of {@link IdempotencyStore.runOnce}
   */
  create(
    caller: Principal,
    { screen, name, query, shared }: Required<ViewChange> & { screen: ViewScreen },
    claim?: IdempotencyClaim,
  ): Promise<OnceOnly<SavedViewEntity>> {
    assertMayChange(caller, shared);
    return this.requests.runOnce(caller.workspaceId, claim, async (transaction) => {
      const owner = ownerOf(caller, shared);
      await this.assertRoom(owner, transaction);
      const id = newId('savedView');
      if (!(await this.views.insert({ id, ...owner, screen, name, query }, transaction))) throw nameTaken(name);
      const view = await this.views.find(caller, id, transaction);
      invariant(view, 'a view that was inserted can be read');
      return view;
    });
  }

  /** @throws DomainError `not_found`, `insufficient_scope` (a shared view), `name_taken`, `limit_reached` */
  change(caller: Principal, id: string, { name, query, shared }: ViewChange): Promise<SavedViewEntity> {
    return this.transactions.run(async (transaction) => {
      const before = await this.changeable(caller, id, transaction);
      const isShared = before.memberId === null;
      const owner = ownerOf(caller, shared ?? isShared);
      if (owner.memberId !== before.memberId) {
        assertMayChange(caller, true);
        await this.assertRoom(owner, transaction);
      }
      const { screen, createdAt } = before;
      const after = { ...owner, id, screen, createdAt, name: name ?? before.name, query: query ?? before.query };
      if (!(await this.views.update(after, transaction))) throw nameTaken(after.name);
      return after;
    });
  }

  /** @throws DomainError `not_found`, `insufficient_scope` (a shared view) */
  delete(caller: Principal, id: string): Promise<void> {
    return this.transactions.run(async (transaction) => {
      await this.views.delete(await this.changeable(caller, id, transaction), transaction);
    });
  }

  private async changeable(caller: Principal, id: string, transaction: Transaction): Promise<SavedViewEntity> {
    const view = await this.get(caller, id, transaction);
    assertMayChange(caller, view.memberId === null);
    return view;
  }

  private async assertRoom(owner: ViewOwner, transaction: Transaction): Promise<void> {
    if ((await this.views.count(owner, transaction)) < MAX_VIEWS) return;
    const whose = owner.memberId === null ? 'The workspace' : 'The member';
    throw new DomainError('limit_reached', `${whose} has ${MAX_VIEWS} saved views. Delete one of them first.`);
  }
}

function ownerOf({ workspaceId, memberId }: Principal, shared: boolean): ViewOwner {
  return { workspaceId, memberId: shared ? null : memberId };
}

function isNarrowed(caller: Principal): boolean {
  return agentsOf(caller) !== null;
}

function assertMayChange(caller: Principal, shared: boolean): void {
  if (isNarrowed(caller))
    throw new DomainError('insufficient_scope', 'A key that is narrowed to agents cannot save views.');
  if (shared && !caller.scopes.has('agents:run'))
    throw new DomainError('insufficient_scope', 'Sharing or changing a shared view requires the scope `agents:run`.');
}

function nameTaken(name: string): DomainError {
  const detail = `A view with the name ${JSON.stringify(name)} already exists.`;
  return new DomainError('name_taken', detail, { errors: [{ pointer: '/name', detail }] });
}
