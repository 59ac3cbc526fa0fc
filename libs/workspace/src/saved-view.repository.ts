import type { Page, PageRequest } from '@app/kernel';
import { findPage, isUnique, orUnavailable, type Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Repository } from 'typeorm';
import type { Principal } from './principal.js';
import { SavedViewEntity } from './saved-view.entity.js';
import type { ViewScreen } from './view-screens.js';

export type NewView = Omit<SavedViewEntity, 'createdAt'>;
export type ViewOwner = Pick<SavedViewEntity, 'workspaceId' | 'memberId'>;

const NAME_KEY = 'saved_views_name_uq';

const LOCK_OWNER = `select pg_advisory_xact_lock(hashtextextended('saved_views ' || $1 || ' ' || coalesce($2, ''), 0))`;

@Injectable()
export class SavedViewRepository {
  constructor(@InjectRepository(SavedViewEntity) private readonly table: Repository<SavedViewEntity>) {}

  /** Returns the own views of the member and the shared ones. */
  page(
    { workspaceId, memberId }: Pick<Principal, 'workspaceId' | 'memberId'>,
    screen: ViewScreen | undefined,
    page: PageRequest,
  ): Promise<Page<SavedViewEntity>> {
    const where = { workspaceId, ...(screen && { screen }) };
    const seen = [
      { ...where, memberId },
      { ...where, memberId: IsNull() },
    ];
    return findPage(this.table, seen, page);
  }

  /** Returns null if the member does not see the view. In a transaction, locks it until the transaction ends. */
  find(
    { workspaceId, memberId }: Pick<Principal, 'workspaceId' | 'memberId'>,
    id: string,
    transaction?: Transaction,
  ): Promise<SavedViewEntity | null> {
    const where = [
      { workspaceId, id, memberId },
      { workspaceId, id, memberId: IsNull() },
    ];
    if (transaction)
      return transaction.manager.findOne(SavedViewEntity, { where, lock: { mode: 'pessimistic_write' } });
    return orUnavailable(this.table.findOne({ where }));
  }

  /** Counts the views of an owner. Until the transaction ends, no other transaction counts them. */
  async count({ workspaceId, memberId }: ViewOwner, { manager }: Transaction): Promise<number> {
    await manager.query(LOCK_OWNER, [workspaceId, memberId]);
    return manager.countBy(SavedViewEntity, { workspaceId, memberId: memberId ?? IsNull() });
  }

  /** Returns false if the owner has a view of the screen with this name. */
  insert(view: NewView, { manager }: Transaction): Promise<boolean> {
    return isUnique(manager.insert(SavedViewEntity, view), NAME_KEY);
  }

  /** Returns false if the owner has another view of the screen with this name. */
  update({ id, workspaceId, memberId, name, query }: NewView, { manager }: Transaction): Promise<boolean> {
    const change = manager.update(SavedViewEntity, { workspaceId, id }, { memberId, name, query });
    return isUnique(change, NAME_KEY);
  }

  async delete({ workspaceId, id }: SavedViewEntity, { manager }: Transaction): Promise<void> {
    await manager.delete(SavedViewEntity, { workspaceId, id });
  }
}
