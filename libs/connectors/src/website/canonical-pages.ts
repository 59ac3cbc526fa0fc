import type { PageFetcher } from './page-fetcher.js';
import type { RobotsRules } from './robots-rules.js';

const MAX_REDIRECTS = 5;

/** Requests each address once. */
export class CanonicalPages {
  private readonly resolved = new Map<string, Promise<string | undefined>>();

  constructor(
    private readonly fetcher: PageFetcher,
    private readonly robots: RobotsRules,
  ) {}

  /** Returns undefined if there is no such page, or if it may not be read. */
  resolve(url: string): Promise<string | undefined> {
    const known = this.resolved.get(url) ?? this.follow(url);
    this.resolved.set(url, known);
    return known;
  }

  private async follow(canonical: string): Promise<string | undefined> {
    let url = canonical;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      if (!(await this.robots.allows(url))) return undefined;
      const fetched = await this.fetcher.fetch(url);
      if (fetched.kind === 'gone') return undefined;
      if (fetched.kind !== 'moved') return url;
      url = fetched.to;
    }
    return undefined;
  }
}
