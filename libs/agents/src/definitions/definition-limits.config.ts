import { type ConfigOf, defineDerivedConfig, setting } from '@app/platform/config';

export const definitionLimitsConfig = defineDerivedConfig(
  {
    title: 'Definitions',
    readBy: ['api'],
    settings: {
      // Checking a definition blocks the event loop of the API for a time that grows with the size. The maximum keeps
      // this time shorter than for the largest bodies of other requests. The minimum fits the sample agent of `npm
      // start`.
      bytes: setting.integer('MAX_DEFINITION_BYTES', {
        default: 262_144,
        min: 16_384,
        max: 1_048_576,
        unit: 'bytes',
        description: 'Maximum size of the text of a new definition. Stored versions are not affected.',
      }),
      // The code that parses, checks and compares definitions is recursive, in this process and in Postgres.
      depth: setting.integer('MAX_DEFINITION_DEPTH', {
        default: 32,
        min: 16,
        max: 128,
        unit: 'levels',
        description: 'Maximum nesting of objects and lists in a new definition. Stored versions are not affected.',
      }),
      // To resume a run, a worker reads all recorded steps of the run.
      runSteps: setting.integer('MAX_RUN_STEPS', {
        default: 1_000,
        min: 100,
        max: 10_000,
        unit: 'steps',
        description: 'Maximum value of `limits.max_steps` in a new definition. Stored versions are not affected.',
      }),
    },
  },
  (definitionLimits) => ({ definitionLimits }),
);
export type DefinitionLimitsConfig = ConfigOf<typeof definitionLimitsConfig>;
