import type { CrawledPages, FoundPage } from '@app/connectors';

/** The pages of a crawl that is never resumed. */
export class PagesInMemory implements CrawledPages {
  private readonly found = new Map<string, FoundPage>();
  private readonly waiting = new Set<FoundPage>();

  addPages(urls: readonly string[], depth: number, mostPages: number): Promise<void> {
    for (const url of urls) {
      if (this.found.has(url) || this.found.size > mostPages) continue;
      const page = { url, depth };
      this.found.set(url, page);
      this.waiting.add(page);
    }
    return Promise.resolve();
  }

  nextPages(limit: number, _mostPages: number, deepest: number): Promise<FoundPage[]> {
    const pages = [...this.waiting].filter(({ depth }) => depth <= deepest).slice(0, limit);
    for (const page of pages) this.waiting.delete(page);
    return Promise.resolve(pages);
  }

  startPages(): Promise<string[]> {
    return Promise.resolve([...this.found.values()].filter(({ depth }) => depth === 0).map(({ url }) => url));
  }

  countPages(): Promise<number> {
    return Promise.resolve(this.found.size);
  }

  linksOf(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  readBefore(): Promise<string[]> {
    return Promise.resolve([]);
  }

  storeLinks(): Promise<void> {
    return Promise.resolve();
  }
}
