import { invariant } from '@app/kernel';
import { type EgressClient, EgressError } from '@app/platform/egress';
import robotsParser from 'robots-parser';
import { SourceError } from '../contract/source-error.js';

/** The name for robots.txt, and the User-Agent header. */
export const ROBOT_NAME = 'agent-automation-service';
const USER_AGENT = `Mozilla/5.0 (compatible; ${ROBOT_NAME})`;
export const CRAWLER_HEADERS = { 'user-agent': USER_AGENT } as const;

const LARGEST_ROBOTS = 512 * 1024;
const LONGEST_DELAY_SECONDS = 30;

interface RobotsText {
  isAllowed(url: string, robot: string): boolean | undefined;
  /** Seconds. */
  getCrawlDelay(robot: string): number | undefined;
  getSitemaps(): string[];
}

type ReadRobots = (url: string, text: string) => RobotsText;

// Its types describe a default export that it, a CommonJS module, does not have.
const exported: unknown = robotsParser;
invariant(isReader(exported), 'robots-parser is a function');
const readRobots = exported;

function isReader(value: unknown): value is ReadRobots {
  return typeof value === 'function';
}

/** What the sites of one visit ask of robots (RFC 9309). */
export class RobotsRules {
  private readonly byOrigin = new Map<string, Promise<RobotsText>>();

  constructor(
    private readonly egress: EgressClient,
    private readonly isRespected: boolean,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws SourceError where robots.txt cannot be asked for */
  async allows(url: string): Promise<boolean> {
    if (!this.isRespected) return true;
    return (await this.of(url)).isAllowed(url, ROBOT_NAME) !== false;
  }

  /** Milliseconds between two requests; 0: the site does not say. */
  async delayMillis(url: string): Promise<number> {
    if (!this.isRespected) return 0;
    const seconds = (await this.of(url)).getCrawlDelay(ROBOT_NAME) ?? 0;
    return Math.min(Math.max(seconds, 0), LONGEST_DELAY_SECONDS) * 1_000;
  }

  /** Sitemaps that the site names. */
  async sitemaps(url: string): Promise<string[]> {
    return this.isRespected ? (await this.of(url)).getSitemaps() : [];
  }

  private of(url: string): Promise<RobotsText> {
    const { origin } = new URL(url);
    const known = this.byOrigin.get(origin) ?? this.read(origin);
    this.byOrigin.set(origin, known);
    return known;
  }

  /** None: everything is allowed. A server that fails allows nothing (RFC 9309, 2.3.1.4): the visit fails, and can be repeated. */
  private async read(origin: string): Promise<RobotsText> {
    const url = `${origin}/robots.txt`;
    const request = {
      url,
      headers: CRAWLER_HEADERS,
      redirect: 'follow',
      maxResponseBytes: LARGEST_ROBOTS,
      signal: this.signal,
    } as const;
    try {
      const { status, body } = await this.egress.request(request);
      if (status >= 500)
        throw new SourceError(
          'robots_unavailable',
          `${url} answers ${status}, so nothing of the site may be read now.`,
        );
      return readRobots(url, status < 300 ? body.toString('utf8') : '');
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      if (error.reason === 'too_many_redirects') return readRobots(url, '');
      throw new SourceError('site_unreachable', `${origin} cannot be reached: ${error.message}`, { cause: error });
    }
  }
}
