import type { CrawledPages, FoundPage } from '@app/connectors';
import type { Statement, Statements } from '@app/platform/database';
import type { ClaimedSync } from './claimed-sync.js';

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

export class CrawledPagesRepository implements CrawledPages {
  constructor(
    private readonly statements: Statements,
    private readonly sync: Pick<ClaimedSync, 'workspaceId' | 'sourceId' | 'id'>,
  ) {}

  async addPages(urls: readonly string[], depth: number, mostPages: number): Promise<void> {
    if (urls.length > 0) await this.statements.query(ADD, [this.sync.id, urls, depth, mostPages]);
  }

  nextPages(limit: number, mostPages: number, deepest: number): Promise<FoundPage[]> {
    return this.statements.query<FoundPage>(NEXT, [this.sync.id, limit, mostPages, deepest]);
  }

  async startPages(): Promise<string[]> {
    return (await this.statements.query<{ url: string }>(BEGINNINGS, [this.sync.id])).map(({ url }) => url);
  }

  async countPages(): Promise<number> {
    const [row] = await this.statements.query<{ count: number }>(COUNT, [this.sync.id]);
    return row!.count;
  }

  async linksOf(url: string): Promise<string[] | undefined> {
    const { workspaceId, sourceId } = this.sync;
    const [row] = await this.statements.query<{ links: string[] }>(LINKS, [workspaceId, sourceId, url]);
    return row?.links;
  }

  async readBefore(urls: readonly string[]): Promise<string[]> {
    if (urls.length === 0) return [];
    const { workspaceId, sourceId } = this.sync;
    const rows = await this.statements.query<{ url: string }>(READ, [workspaceId, sourceId, urls]);
    return rows.map(({ url }) => url);
  }

  async storeLinks(url: string, links: readonly string[]): Promise<void> {
    const { workspaceId, sourceId } = this.sync;
    await this.statements.query(KEEP_LINKS, [workspaceId, sourceId, url, links]);
  }
}
