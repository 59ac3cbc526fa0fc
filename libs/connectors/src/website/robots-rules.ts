import { invariant } from '@app/kernel';
import { type EgressClient, EgressError } from '@app/platform/egress';
import { decodeText } from '@app/platform/text';
import robotsParser from 'robots-parser';
import { SourceError } from '../contract/connector.js';

/** The name of the crawler in robots.txt and in the User-Agent header. */
const ROBOT_NAME = 'agent-automation-service';
const USER_AGENT = `Mozilla/5.0 (compatible; ${ROBOT_NAME})`;
export const CRAWLER_HEADERS = { 'user-agent': USER_AGENT } as const;

const MAX_ROBOTS = 512 * 1024;
const MAX_DELAY_SECONDS = 30;

interface RobotsText {
  isAllowed(url: string, robot: string): boolean | undefined;
  getCrawlDelay(robot: string): number | undefined;
  getSitemaps(): string[];
}

type ReadRobots = (url: string, text: string) => RobotsText;

// The types of robots-parser describe a default export that its CommonJS module does not have.
const exported: unknown = robotsParser;
invariant(isReader(exported), 'robots-parser is a function');
export const readRobots = exported;

function isReader(value: unknown): value is ReadRobots {
  return typeof value === 'function';
}

export function mayRead(robots: RobotsText, url: string, robot: string = ROBOT_NAME): boolean {
  return robots.isAllowed(url, robot) !== false;
}

/** The robots.txt rules of the sites of one crawl (RFC 9309). */
export class RobotsRules {
  private readonly byOrigin = new Map<string, Promise<RobotsText>>();

  constructor(
    private readonly egress: EgressClient,
    private readonly isRespected: boolean,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws SourceError if robots.txt cannot be fetched */
  async allows(url: string): Promise<boolean> {
    if (!this.isRespected) return true;
    return mayRead(await this.of(url), url);
  }

  async delayMillis(url: string): Promise<number> {
    if (!this.isRespected) return 0;
    const seconds = (await this.of(url)).getCrawlDelay(ROBOT_NAME) ?? 0;
    return Math.min(Math.max(seconds, 0), MAX_DELAY_SECONDS) * 1_000;
  }

  /** Returns the sitemaps that robots.txt lists, or none if robots.txt is not respected. */
  async sitemaps(url: string): Promise<string[]> {
    return this.isRespected ? (await this.of(url)).getSitemaps() : [];
  }

  private of(url: string): Promise<RobotsText> {
    const { origin } = new URL(url);
    const known = this.byOrigin.get(origin) ?? this.read(origin);
    this.byOrigin.set(origin, known);
    return known;
  }

  /**
   * A missing robots.txt allows everything. If the server cannot be reached or responds with a status of 500 or higher,
   * the sync fails (RFC 9309, section 2.3.1.4).
   */
  private async read(origin: string): Promise<RobotsText> {
    const url = `${origin}/robots.txt`;
    const request = {
      url,
      headers: CRAWLER_HEADERS,
      redirect: 'follow',
      maxResponseBytes: MAX_ROBOTS,
      signal: this.signal,
    } as const;
    try {
      const { status, body } = await this.egress.request(request);
      if (status >= 500)
        throw new SourceError(
          'robots_unavailable',
          `${url} responded with HTTP status ${status}, so no page of the site may be read for now.`,
        );
      return readRobots(url, status < 300 ? decodeText(body).text : '');
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      if (error.reason === 'too_many_redirects') return readRobots(url, '');
      throw new SourceError('site_unreachable', `${origin} cannot be reached: ${error.message}`, { cause: error });
    }
  }
}

/**
 * In an `X-Robots-Tag` header, a colon follows the name of a robot, or the name of a rule with a value. This pattern
 * matches the names of these rules.
 */
const WITH_VALUE = /^(unavailable_after|max-[a-z-]+)$/;

export function robotsTag(header = ''): string[] {
  let isForUs = true;
  return header
    .toLowerCase()
    .split(',')
    .flatMap((part) => {
      const colon = part.indexOf(':');
      const name = part.slice(0, Math.max(colon, 0)).trim();
      if (WITH_VALUE.test(name)) return [];
      if (colon >= 0) isForUs = name === ROBOT_NAME;
      const rule = part.slice(colon + 1).trim();
      return isForUs && rule !== '' ? [rule] : [];
    });
}
