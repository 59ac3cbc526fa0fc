import { Injectable } from '@nestjs/common';
import type { JsonObject, Page, PageRequest } from '@app/kernel';
import { Cursors, Snapshots } from '@app/platform/database';
import type { PageQuery } from './page.dto.js';

/** The body of every list. There is no `next_cursor` on the last page. */
export interface PagedList<T> {
  data: T[];
  next_cursor?: string;
}

/** One list of a workspace and how a page of it is read and shown. */
export interface ListSource<Row, Shown> {
  /** Name of the list within the workspace: cursors of one list are refused by every other. */
  list: string;
  workspaceId: string;
  filters?: JsonObject;
  read(page: PageRequest): Promise<Page<Row>>;
  present(row: Row): Shown;
}

/** Answers pages of lists, with cursors that fit only the list, order and filters they were made for. */
@Injectable()
export class ListPages {
  constructor(
    private readonly cursors: Cursors,
    private readonly snapshots: Snapshots,
  ) {}

  /**
   * Everything that the page needs comes from one snapshot of the database.
   * @throws DomainError `invalid_cursor`, `cursor_mismatch`, `cursor_expired`
   */
  async answer<Row, Shown>(query: PageQuery, source: ListSource<Row, Shown>): Promise<PagedList<Shown>> {
    const { limit, order, cursor } = query;
    const identity = { list: source.list, workspaceId: source.workspaceId, order, filters: source.filters ?? {} };
    const after = cursor === undefined ? undefined : this.cursors.decode(identity, cursor);
    const request = { limit, order, ...(after !== undefined && { after }) };
    const page = await this.snapshots.read(() => source.read(request));
    const data = page.data.map((row) => source.present(row));
    return page.last === undefined ? { data } : { data, next_cursor: this.cursors.encode(identity, page.last) };
  }
}
