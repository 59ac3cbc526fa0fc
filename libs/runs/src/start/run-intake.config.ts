import { type ConfigOf, defineConfig, setting } from '@app/platform/config';

export const runIntakeConfig = defineConfig({
  title: 'Starting runs',
  readBy: ['api', 'worker'],
  settings: {
    // The `max` of MAX_INPUT_BYTES equals `MAX_VALUE_BYTES` of expressions, so that an expression can return the whole
    // input.
    maxInputBytes: setting.integer('MAX_INPUT_BYTES', {
      default: 1_048_576,
      min: 65_536,
      max: 4_194_304,
      unit: 'bytes',
      description:
        'Maximum size of the input of a run as JSON, and of the body of a call of a webhook trigger. Mails are ' +
        'truncated to this size.',
    }),
    maxQueuedRuns: setting.integer('MAX_QUEUED_RUNS', {
      default: 10_000,
      min: 1,
      max: 10_000_000,
      unit: 'runs',
      description:
        'Maximum number of runs of one workspace that wait for a worker. If this number is reached, starting ' +
        'another run returns 429.',
    }),
  },
});
export type RunIntakeConfig = ConfigOf<typeof runIntakeConfig>;
