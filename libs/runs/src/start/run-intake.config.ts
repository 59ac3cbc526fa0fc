import { type ConfigOf, defineConfig, setting } from '@app/platform/config';

export const runIntakeConfig = defineConfig({
  title: 'Starting runs',
  readBy: ['api', 'worker'],
  settings: {
    // The maximum equals `MAX_RESULT_CHARACTERS`, because an expression must be able to return the whole input.
    maxInputBytes: setting.integer('MAX_INPUT_BYTES', {
      default: 1_048_576,
      min: 65_536,
      max: 4_194_304,
      unit: 'bytes',
      description: "Size of a run's input as JSON, and of a body that calls a webhook. Mails are cut so that they fit.",
    }),
    maxQueuedRuns: setting.integer('MAX_QUEUED_RUNS', {
      default: 10_000,
      min: 1,
      max: 10_000_000,
      unit: 'runs',
      description: 'Runs of one workspace that may wait for a worker. Beyond that starting a run answers 429.',
    }),
  },
});
export type RunIntakeConfig = ConfigOf<typeof runIntakeConfig>;
