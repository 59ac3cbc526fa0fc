import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';

const HOUR_MILLIS = 3_600_000;

export const idempotencyConfig = defineDerivedConfig(
  {
    title: 'Idempotency keys',
    readBy: ['api', 'worker'],
    settings: {
      hours: setting.integer('IDEMPOTENCY_HOURS', {
        default: 24,
        min: 1,
        max: 720,
        unit: 'hours',
        description:
          'Time for which the service recognises a repeated request with the same Idempotency-Key. It must not be ' +
          'longer than RUN_RETENTION_DAYS. Workers delete the keys an hour after this time. Give every process of ' +
          'an installation the same value.',
      }),
    },
  },
  ({ hours }) => ({ idempotencyMillis: hours * HOUR_MILLIS }),
);
export type IdempotencyConfig = ConfigOf<typeof idempotencyConfig>;
