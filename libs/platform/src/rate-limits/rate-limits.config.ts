import { type ConfigOf, defineConfig, setting } from '@app/platform/config';

const perMinute = (name: string, fallback: number, description: string) =>
  setting.integer(name, { default: fallback, min: 0, max: 10_000_000, unit: 'a minute', description });

export const rateLimitsConfig = defineConfig({
  title: 'Rate limits',
  readBy: ['api'],
  settings: {
    requests: perMinute(
      'RATE_LIMIT_REQUESTS',
      600,
      'Maximum number of requests of one API key or session. Further requests receive 429 with Retry-After. 0 means no limit. The ' +
        'emergency stop, the resume and the cancellation of runs are never limited. With Redis, requests are counted for the whole fleet. ' +
        'Without Redis, each api process counts its own requests.',
    ),
    triggers: perMinute(
      'RATE_LIMIT_TRIGGERS',
      60,
      "Maximum number of calls of one agent's webhook trigger. 0 means no limit.",
    ),
    failedAuthentication: perMinute(
      'RATE_LIMIT_FAILED_AUTHENTICATION',
      600,
      'Maximum number of requests with wrong credentials from one client address. 0 means no limit.',
    ),
    signIn: perMinute(
      'RATE_LIMIT_SIGN_IN',
      30,
      'Maximum number of failed sign-ins and of requested sign-in mails, for each client address and for each member. 0 means no limit.',
    ),
  },
});
export type RateLimitsConfig = ConfigOf<typeof rateLimitsConfig>;
