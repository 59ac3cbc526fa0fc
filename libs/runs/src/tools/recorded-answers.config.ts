import { type ConfigOf, defineConfig, setting } from '@app/platform/config';

export const recordedAnswersConfig = defineConfig({
  title: 'Answers of tools',
  readBy: ['worker'],
  settings: {
    // The maximum equals `MAX_VALUE_BYTES` of expressions, so that expressions can read a whole recorded response.
    maxRecordedBytes: setting.integer('MAX_RECORDED_BYTES', {
      default: 1_048_576,
      min: 4_096,
      max: 4_194_304,
      unit: 'bytes',
      description:
        'Maximum size of a tool response that is stored in the trace and passed to later steps. For a larger ' +
        'response, the service stores the beginning of its text, its size and its hash.',
    }),
  },
});
export type RecordedAnswersConfig = ConfigOf<typeof recordedAnswersConfig>;
