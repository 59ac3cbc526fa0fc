import { parseDuration } from '@app/kernel';
import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';

const STANDARD_SCHEDULE = '0s,5s,5m,30m,2h,5h,10h,14h,20h,24h';

export const webhooksConfig = defineDerivedConfig(
  {
    title: 'Event deliveries',
    readBy: ['worker'],
    settings: {
      webhookTimeoutMillis: setting.integer('WEBHOOK_TIMEOUT_MS', {
        default: 15_000,
        min: 100,
        max: 30_000,
        unit: 'milliseconds',
        description: 'Time limit of one attempt to deliver an event.',
      }),
      schedule: setting.list('WEBHOOK_RETRY_SCHEDULE', {
        accepts: (entry) => parseDuration(entry) !== undefined,
        allowed: 'durations such as 0s,5s,5m,2h, separated by commas',
        defaultNote: `\`${STANDARD_SCHEDULE}\``,
        description:
          'Time before each attempt to deliver an event, counted from the previous attempt. If the last attempt ' +
          'fails, the delivery has failed.',
      }),
      // The minimum is a week, because the last retry of the standard schedule is made within a week.
      webhookRetentionDays: setting.integer('WEBHOOK_RETENTION_DAYS', {
        default: 30,
        min: 7,
        max: 3_650,
        unit: 'days',
        description: 'Age at which messages and their deliveries are deleted.',
      }),
    },
  },
  ({ schedule, ...values }) => ({
    ...values,
    webhookRetryMillis: (schedule.length > 0 ? schedule : STANDARD_SCHEDULE.split(',')).flatMap(
      (entry) => parseDuration(entry) ?? [],
    ),
  }),
);
export type WebhooksConfig = ConfigOf<typeof webhooksConfig>;
