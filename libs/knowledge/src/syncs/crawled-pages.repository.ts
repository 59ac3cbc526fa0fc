import type { CrawledPages, FoundPage } from '@app/connectors';
import { type Statement, Statements } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import type { ClaimedSync } from './claimed-sync.js';

/** Adds pages up to the limit and one more, which is never read but shows that there are more. */
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

/** The pages that crawls have found, and the links of pages that were read before. */
@Injectable()
export class CrawledPagesRepository {
  constructor(private readonly statements: Statements) {}

  /** The port of one sync. */
  of({ workspaceId, sourceId, id }: Pick<ClaimedSync, 'workspaceId' | 'sourceId' | 'id'>): CrawledPages {
    const { statements } = this;
    return {
      async addPages(urls, depth, mostPages) {
        if (urls.length > 0) await statements.query(ADD, [id, urls, depth, mostPages]);
      },
      nextPages: (limit, mostPages, deepest) => statements.query<FoundPage>(NEXT, [id, limit, mostPages, deepest]),
      startPages: async () => (await statements.query<{ url: string }>(BEGINNINGS, [id])).map(({ url }) => url),
      async countPages() {
        const [row] = await statements.query<{ count: number }>(COUNT, [id]);
        return row!.count;
      },
      async linksOf(url) {
        const [row] = await statements.query<{ links: string[] }>(LINKS, [workspaceId, sourceId, url]);
        return row?.links;
      },
      async readBefore(urls) {
        if (urls.length === 0) return [];
        return (await statements.query<{ url: string }>(READ, [workspaceId, sourceId, urls])).map(({ url }) => url);
      },
      async storeLinks(url, links) {
        await statements.query(KEEP_LINKS, [workspaceId, sourceId, url, links]);
      },
    };
  }
}
