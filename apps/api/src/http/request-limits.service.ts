import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { DomainError } from '@app/kernel';
import { type Allowance, RATE_LIMIT_WINDOW_SECONDS, type RateLimitName, RateLimits } from '@app/platform/rate-limits';
import type { Principal } from '@app/workspace';
import type { ApiRequest } from './request-context.js';

/** Enforces rate limits and reports the remaining quota in headers (draft-ietf-httpapi-ratelimit-headers). */
@Injectable()
export class RequestLimitsService {
  constructor(private readonly limits: RateLimits) {}

  /** One request with a key. @throws DomainError `rate_limited` */
  admit({ key }: Principal, response: Response): Promise<void> {
    return this.take('requests', key.id, response, `The key ${JSON.stringify(key.name)} has made too many requests.`);
  }

  /** Counts one call of a webhook trigger. @throws DomainError `rate_limited` */
  admitTrigger(agentId: string, response: Response): Promise<void> {
    return this.take('triggers', agentId, response, "The agent's webhook was called too often.");
  }

  /**
   * Counts one request with wrong credentials. Valid keys continue to work from the same address.
   * @throws DomainError `rate_limited`
   */
  refuse({ socket, ip }: ApiRequest, response: Response): Promise<void> {
    const address = ip ?? socket.remoteAddress ?? '';
    return this.take('failedAuthentication', address, response, 'Too many requests from here had wrong credentials.');
  }

  private async take(name: RateLimitName, key: string, response: Response, refusal: string): Promise<void> {
    const allowance = await this.limits.take(name, key);
    if (!allowance) return;
    tell(response, allowance);
    if (allowance.allowed) return;
    throw new DomainError('rate_limited', `${refusal} Try again in ${allowance.resetsIn} s.`, {
      retryAfterSeconds: allowance.resetsIn,
    });
  }
}

function tell(response: Response, { limit, remaining, resetsIn }: Allowance): void {
  response.setHeader('RateLimit-Policy', `"default";q=${limit};w=${RATE_LIMIT_WINDOW_SECONDS}`);
  response.setHeader('RateLimit', `"default";r=${remaining};t=${resetsIn}`);
}
