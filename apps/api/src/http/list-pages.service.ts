import { Injectable } from '@nestjs/common';
import { type JsonObject, type Page, type PageRequest, SORT_ORDERS, type SortOrder } from '@app/kernel';
import { Cursors, SnapshotsService } from '@app/platform/database';
import { OneOf, Text, Whole } from './fields.js';

export class PageQuery {
  @Whole({
    optional: true,
    minimum: 1,
    maximum: 100,
    default: 25,
    description: 'Page size.',
    message: 'limit must be a whole number from 1 to 100',
  })
  limit = 25;

  @OneOf(SORT_ORDERS, {
    optional: true,
    default: 'desc',
    description: 'Creation order; `desc`: newest first.',
  })
  order: SortOrder = 'desc';

  @Text({
    optional: true,
    description: 'Previous `next_cursor`.',
  })
  cursor?: string;
}

/** A page of a list. The last page has no `next_cursor`. */
export interface PagedList<T> {
  data: T[];
  next_cursor?: string;
}

/** Describes a list: its name, its filters, how to read a page, and how to convert a row for the response. */
export interface ListSource<Row, Shown> {
  /** Name of the list within the workspace. A cursor is valid only for its list. */
  list: string;
  workspaceId: string;
  filters?: JsonObject;
  read(page: PageRequest): Promise<Page<Row>>;
  present(row: Row): Shown;
}

/** Describes a list in the order of its keys. A page begins after the key `after`. An empty text is before all keys. */
export interface KeyedListSource<Row, Shown> {
  /** Name of the list within the workspace. A cursor is valid only for its list. */
  list: string;
  workspaceId: string;
  filters: JsonObject;
  read(after: string): Promise<{ data: Row[]; last: string | null }>;
  present(row: Row): Shown;
}

/** Reads pages of lists. A cursor is valid only for the list, order and filters for which it was created. */
@Injectable()
export class ListPagesService {
  constructor(
    private readonly cursors: Cursors,
    private readonly snapshots: SnapshotsService,
  ) {}

  /**
   * Reads the page from one database snapshot.
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

  /**
   * Reads the page that begins after the key in the cursor.
   * @throws DomainError `invalid_cursor`, `cursor_mismatch`, `cursor_expired`
   */
  async answerInKeyOrder<Row, Shown>(
    cursor: string | undefined,
    source: KeyedListSource<Row, Shown>,
  ): Promise<PagedList<Shown>> {
    const { list, workspaceId, filters } = source;
    const identity = { list, workspaceId, order: 'asc', filters } as const;
    const page = await source.read(cursor === undefined ? '' : this.cursors.decode(identity, cursor));
    const data = page.data.map((row) => source.present(row));
    return page.last === null ? { data } : { data, next_cursor: this.cursors.encode(identity, page.last) };
  }
}

/** Sorts the values of a filter, so that a cursor stays valid if the client sends them in another order. */
export function anyOrder(values: readonly string[] | undefined): string[] | null {
  return values ? [...new Set(values)].sort() : null;
}
