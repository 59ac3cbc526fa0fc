import { type ConfigOf, defineConfig, setting } from '@app/platform/config';

const perMinute = (name: string, fallback: number, description: string) =>
  setting.integer(name, { default: fallback, min: 0, max: 10_000_000, unit: 'a minute', description });

/** Limits of requests. 0 means no limit. Requests above a limit receive status 429 with Retry-After. */
export const rateLimitsConfig = defineConfig({
  title: 'Rate limits',
  readBy: ['api'],
  settings: {
    requests: perMinute(
      'RATE_LIMIT_REQUESTS',
      600,
      'Requests of one API key; beyond that the answer is 429 with Retry-After. 0 is without limit. The emergency stop, the ' +
        'resume and cancelling are never limited. Limits are counted in Redis for the whole fleet, or without it by each api process.',
    ),
    triggers: perMinute('RATE_LIMIT_TRIGGERS', 60, "Calls of one agent's webhook. 0 is without limit."),
    failedAuthentication: perMinute(
      'RATE_LIMIT_FAILED_AUTHENTICATION',
      600,
      'Requests with wrong credentials from one client address. 0 is without limit.',
    ),
    signIn: perMinute(
      'RATE_LIMIT_SIGN_IN',
      30,
      'Failed sign-ins and mails for a sign-in, from one client address and for one member. 0 is without limit.',
    ),
  },
});
export type RateLimitsConfig = ConfigOf<typeof rateLimitsConfig>;
