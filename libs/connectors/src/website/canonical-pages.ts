import type { PageFetcher } from './page-fetcher.js';
import type { RobotsRules } from './robots-rules.js';

const MOST_REDIRECTS = 5;

/** Where the addresses lead that pages call their canonical ones (RFC 6596). Each is asked for once. */
export class CanonicalPages {
  private readonly ends = new Map<string, Promise<string | undefined>>();

  constructor(
    private readonly fetcher: PageFetcher,
    private readonly robots: RobotsRules,
  ) {}

  /** The page that is at this address, behind its redirects; undefined: there is none that may be read. @throws DocumentError */
  endOf(url: string): Promise<string | undefined> {
    const known = this.ends.get(url) ?? this.follow(url);
    this.ends.set(url, known);
    return known;
  }

  private async follow(canonical: string): Promise<string | undefined> {
    let url = canonical;
    for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
      if (!(await this.robots.allows(url))) return undefined;
      const fetched = await this.fetcher.fetch(url);
      if (fetched.kind === 'gone') return undefined;
      if (fetched.kind !== 'moved') return url;
      url = fetched.to;
    }
    return undefined;
  }
}
