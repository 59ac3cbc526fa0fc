import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { DomainError } from '@app/kernel';
import { RateLimits } from '@app/platform/rate-limits';
import type { Response } from 'express';
import type { ApiRequest } from './request-context.js';
import { RequestLimitsService } from './request-limits.service.js';

const LIMIT = 2;

describe('limits of sign-ins', () => {
  let limits: RequestLimitsService;
  const request = new IncomingMessage(new Socket()) as ApiRequest;

  beforeEach(() => {
    const none = { requests: 0, triggers: 0, failedAuthentication: 0, modelChecks: 0 };
    limits = new RequestLimitsService(new RateLimits({ limits: { ...none, signIn: LIMIT }, keyPrefix: 'test' }));
  });

  /** Tries to sign in. Returns `signed in` or the code of the error. */
  const signIn = async (error?: DomainError): Promise<string> => {
    const response = new ServerResponse(request) as unknown as Response;
    const attempt = () => (error ? Promise.reject(error) : Promise.resolve('signed in'));
    return limits.admitSignIn(request, response, 'ann@example.com', attempt).catch((thrown: unknown) => {
      if (thrown instanceof DomainError) return thrown.code;
      throw thrown;
    });
  };
  const many = async (error?: DomainError): Promise<string[]> => {
    const outcomes: string[] = [];
    for (let tried = 0; tried <= LIMIT; tried += 1) outcomes.push(await signIn(error));
    return outcomes;
  };

  it('rejects further attempts after too many wrong ones', async () => {
    const wrong = new DomainError('invalid_sign_in', 'The link, code or key is wrong.');
    expect(await many(wrong)).toEqual(['invalid_sign_in', 'invalid_sign_in', 'rate_limited']);
    expect(await signIn()).toBe('rate_limited');
  });

  it('does not count attempts that succeed or that the service could not check', async () => {
    expect(await many()).toEqual(['signed in', 'signed in', 'signed in']);
    const outage = new DomainError('unavailable', 'The database cannot be reached.');
    expect(await many(outage)).toEqual(['unavailable', 'unavailable', 'unavailable']);
    expect(await signIn()).toBe('signed in');
  });
});
