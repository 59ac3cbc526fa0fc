import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';

export interface FoundPage {
  url: string;
  depth: number;
}

/** As many as there is room for below the limit of pages, and one beyond it, which is never read: it says that there are more. */
const ADD: Statement = {
  name: 'knowledge_crawl_pages.add',
  text: `insert into knowledge_crawl_pages (sync_id, url, depth)
    select $1, found.url, $3 from unnest($2::text[]) with ordinality as found (url, n)
     where not exists (select from knowledge_crawl_pages known where known.sync_id = $1 and known.url = found.url)
     order by found.n
     limit greatest(0, $4 + 1 - (select count(*) from knowledge_crawl_pages every where every.sync_id = $1))
    on conflict do nothing`,
};
const NEXT: Statement = {
  name: 'knowledge_crawl_pages.next',
  text: `select url, depth from knowledge_crawl_pages where sync_id = $1 and not visited and depth <= $4 order by n
    limit greatest(0, least($2, $3 - (select count(*) from knowledge_crawl_pages over where over.sync_id = $1 and over.visited)))`,
};
const COUNT: Statement = {
  name: 'knowledge_crawl_pages.count',
  text: 'select count(*)::integer as count from knowledge_crawl_pages where sync_id = $1',
};
const BEGINNINGS: Statement = {
  name: 'knowledge_crawl_pages.beginnings',
  text: 'select url from knowledge_crawl_pages where sync_id = $1 and depth = 0 limit 1000',
};
const LINKS: Statement = {
  name: 'knowledge_page_links.find',
  text: 'select links from knowledge_page_links where workspace_id = $1 and source_id = $2 and url = $3',
};
const READ: Statement = {
  name: 'knowledge_page_links.read',
  text: 'select url from knowledge_page_links where workspace_id = $1 and source_id = $2 and url = any ($3::text[])',
};
const KEEP_LINKS: Statement = {
  name: 'knowledge_page_links.keep',
  text: `insert into knowledge_page_links (workspace_id, source_id, url, links) values ($1, $2, $3, $4)
    on conflict (source_id, url) do update set links = excluded.links`,
};

/** What a crawl has found. It is in the database, so that a crawl of any size fits into memory and a kill loses nothing. */
@Injectable()
export class CrawlMemory {
  constructor(private readonly statements: Statements) {}

  /** Pages that are known already stay as they are; beyond `mostPages` in all only one is added, so that it shows. */
  async add(syncId: string, urls: readonly string[], depth: number, mostPages: number): Promise<void> {
    if (urls.length > 0) await this.statements.query(ADD, [syncId, urls, depth, mostPages]);
  }

  /** Not visited yet, in the order in which they were found, until `mostPages` have been visited; none is deeper than `deepest`. */
  next(syncId: string, limit: number, mostPages: number, deepest: number): Promise<FoundPage[]> {
    return this.statements.query<FoundPage>(NEXT, [syncId, limit, mostPages, deepest]);
  }

  /** Pages that the crawl began with, where those have moved to included. */
  async beginnings(syncId: string): Promise<string[]> {
    return (await this.statements.query<{ url: string }>(BEGINNINGS, [syncId])).map(({ url }) => url);
  }

  /** More than the limit of pages: there are some that are not read. */
  async count(syncId: string): Promise<number> {
    const [row] = await this.statements.query<{ count: number }>(COUNT, [syncId]);
    return row!.count;
  }

  /** Where the page led when it was last read; undefined where that is not known. */
  async links(workspaceId: string, sourceId: string, url: string): Promise<string[] | undefined> {
    const [row] = await this.statements.query<{ links: string[] }>(LINKS, [workspaceId, sourceId, url]);
    return row?.links;
  }

  /** Those of the pages that have been read once. */
  async read(workspaceId: string, sourceId: string, urls: readonly string[]): Promise<string[]> {
    if (urls.length === 0) return [];
    return (await this.statements.query<{ url: string }>(READ, [workspaceId, sourceId, urls])).map(({ url }) => url);
  }

  async keepLinks(workspaceId: string, sourceId: string, url: string, links: readonly string[]): Promise<void> {
    await this.statements.query(KEEP_LINKS, [workspaceId, sourceId, url, links]);
  }
}
