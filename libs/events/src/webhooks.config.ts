import { parseDuration } from '@app/kernel';
import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';

/** The schedule of Standard Webhooks: at once, after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h. */
const STANDARD_SCHEDULE = '0s,5s,5m,30m,2h,5h,10h,14h,20h,24h';

/** Deliveries of events to the endpoints of subscribers. */
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
        description: 'Time limit of one attempt.',
      }),
      schedule: setting.list('WEBHOOK_RETRY_SCHEDULE', {
        accepts: (entry) => parseDuration(entry) !== undefined,
        allowed: 'durations such as 0s,5s,5m,2h, separated by commas',
        defaultNote: `\`${STANDARD_SCHEDULE}\``,
        description:
          'Time before each attempt, counted from the attempt before it. After the last one the delivery has failed.',
      }),
      // Within a week every delivery of the standard schedule has succeeded or failed.
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
    /** Before each attempt, counted from the one before it. */
    webhookRetryMillis: (schedule.length > 0 ? schedule : STANDARD_SCHEDULE.split(',')).flatMap(
      (entry) => parseDuration(entry) ?? [],
    ),
  }),
);
export type WebhooksConfig = ConfigOf<typeof webhooksConfig>;
