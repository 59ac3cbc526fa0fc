import type { IncomingMessage, ServerResponse } from 'node:http';
import { DomainError } from '@app/kernel';
import {
  type Allowance,
  RATE_LIMIT_WINDOW_SECONDS,
  type RateLimitName,
  type RateLimits,
} from '@app/platform/rate-limits';
import type { Principal } from '@app/workspace';

/** Enforces rate limits and sends the remaining quota in headers (draft-ietf-httpapi-ratelimit-headers). */
export class RequestLimitsService {
  constructor(private readonly limits: RateLimits) {}

  /** Counts one request with a key or a session. @throws DomainError `rate_limited` */
  admit({ key, session }: Principal, response: ServerResponse): Promise<void> {
    const caller = key ? `The key ${JSON.stringify(key.name)}` : 'The session';
    return this.take('requests', (key ?? session)?.id ?? '', response, `${caller} has made too many requests.`);
  }

  /** Counts one check of a model. @throws DomainError `rate_limited` */
  admitModelCheck({ key, session }: Principal, response: ServerResponse): Promise<void> {
    return this.take('modelChecks', (key ?? session)?.id ?? '', response, 'Models were checked too often.');
  }

  /** Counts one call of a webhook trigger. @throws DomainError `rate_limited` */
  admitTrigger(agentId: string, response: ServerResponse): Promise<void> {
    return this.take('triggers', agentId, response, "The agent's webhook was called too often.");
  }

  /** Counts one call of a callback of a run. @throws DomainError `rate_limited` */
  admitCallback(runId: string, response: ServerResponse): Promise<void> {
    return this.take('triggers', runId, response, 'The callbacks of the run were called too often.');
  }

  /**
   * Counts a request with wrong credentials against the client address. Valid keys from the same address are not
   * affected.
   * @throws DomainError `rate_limited`
   */
  refuse(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.take(
      'failedAuthentication',
      clientAddress(request),
      response,
      'Too many requests from this address had wrong credentials.',
    );
  }

  /**
   * Counts a failed attempt to sign in against the client address and the e-mail address. Does not count an attempt
   * that succeeds or that the service could not check.
   * @throws DomainError `rate_limited`, and the errors of `attempt`
   */
  async admitSignIn<T>(
    request: IncomingMessage,
    response: ServerResponse,
    address: string | undefined,
    attempt: () => Promise<T>,
  ): Promise<T> {
    const keys = signInKeys(request, address);
    await this.countSignIn(keys, response);
    let counts = false;
    try {
      return await attempt();
    } catch (error) {
      counts = !(error instanceof DomainError && error.code === 'unavailable');
      throw error;
    } finally {
      if (!counts) for (const key of keys) await this.limits.giveBack('signIn', key);
    }
  }

  /** Counts a sign-in e-mail. @throws DomainError `rate_limited` */
  admitSignInMail(request: IncomingMessage, response: ServerResponse, address: string): Promise<void> {
    return this.countSignIn(signInKeys(request, address), response);
  }

  /** Counts a registration of an MCP client against the client address. @throws DomainError `rate_limited` */
  admitRegistration(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.countSignIn(signInKeys(request, undefined), response);
  }

  /** Counts the fetch of a metadata document of an MCP client against the client address. */
  async admitsClientDocument(request: IncomingMessage): Promise<boolean> {
    const allowance = await this.limits.take('signIn', `client:${clientAddress(request)}`);
    return allowance?.allowed ?? true;
  }

  private async countSignIn(keys: readonly string[], response: ServerResponse): Promise<void> {
    for (const key of keys) await this.take('signIn', key, response, 'Too many attempts to sign in.');
  }

  private async take(name: RateLimitName, key: string, response: ServerResponse, refusal: string): Promise<void> {
    const allowance = await this.limits.take(name, key);
    if (!allowance) return;
    tell(response, allowance);
    if (allowance.allowed) return;
    throw new DomainError('rate_limited', `${refusal} Try again in ${allowance.resetsIn} s.`, {
      retryAfterSeconds: allowance.resetsIn,
    });
  }
}

function tell(response: ServerResponse, { limit, remaining, resetsIn }: Allowance): void {
  response.setHeader('RateLimit-Policy', `"default";q=${limit};w=${RATE_LIMIT_WINDOW_SECONDS}`);
  response.setHeader('RateLimit', `"default";r=${remaining};t=${resetsIn}`);
}

function clientAddress({ socket }: IncomingMessage): string {
  return socket.remoteAddress ?? '';
}

function signInKeys(request: IncomingMessage, address: string | undefined): string[] {
  return [`client:${clientAddress(request)}`, ...(address === undefined ? [] : [`member:${address}`])];
}
