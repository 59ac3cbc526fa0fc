import { createHash } from 'node:crypto';

import { filesOfTier } from './test/tiers.mjs';

const swc = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
  },
  module: { type: 'es6' },
  sourceMaps: true,
};
/** All projects have the same id, so that they share the compiled files. */
const id = createHash('sha256')
  .update(import.meta.dirname)
  .digest('hex')
  .slice(0, 32);

/** One project for each kind of test. Each test file that uses Postgres has its own database (test/support). */
const kind = (displayName, pattern, extra = {}) => ({
  displayName,
  id,
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/packages', '<rootDir>/test'],
  // The files of a jest worker share the modules that they load.
  testEnvironment: '<rootDir>/test/shared-environment.cjs',
  runtime: '<rootDir>/test/shared-runtime.cjs',
  testMatch: [`**/*.${pattern}.ts`],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['<rootDir>/test/typescript-transform.mjs', swc] },
  setupFiles: ['reflect-metadata'],
  modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/packages/[^/]+/dist'],
  moduleNameMapper: {
    '^@app/platform/(.*)$': '<rootDir>/libs/platform/src/$1/index.ts',
    '^@app/runs/emergency-stop$': '<rootDir>/libs/runs/src/emergency-stop/index.ts',
    '^@app/definition/source$': '<rootDir>/libs/definition/src/source/index.ts',
    '^@app/installation/settings$': '<rootDir>/libs/installation/src/settings/index.ts',
    '^@app/([^/]+)$': '<rootDir>/libs/$1/src/index.ts',
    '^(\\.{1,2}/.*)\\.js$': '$1',
  },
  ...extra,
});

const withPostgres = {
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
};

/** Tests with mutated conversations. In the tier `full`, they use all their seeds. */
const MUTATIONS = '<rootDir>/libs/**/{hostile,mutated}-*.int-spec.ts';
/** Real processes and signals. Only the tier `smoke` is part of every run; test/faults/run.mjs runs the others. */
const faults = (tier) => ({
  ...kind(tier === 'smoke' ? 'faults' : `faults-${tier}`, 'e2e-spec', withPostgres),
  testMatch: [`<rootDir>/test/faults/${tier}/*.e2e-spec.ts`, ...(tier === 'full' ? [MUTATIONS] : [])],
});

const longFaults = process.env.FAULT_TIER ? [faults(process.env.FAULT_TIER)] : [];

/** The files of the other tier, if test/run.mjs runs only one of them. */
const skipped = { first: filesOfTier(2), second: filesOfTier(1) }[process.env.TEST_TIER] ?? [];
const ofTier = (project) => ({
  ...project,
  testPathIgnorePatterns: [
    ...(project.testPathIgnorePatterns ?? ['/node_modules/']),
    ...skipped.map((path) => `<rootDir>/${path}$`),
  ],
});

export default {
  maxWorkers: 2,
  testSequencer: '<rootDir>/test/longest-first.mjs',
  // Many tests start and end processes, which takes long on a slow machine. Jest has no time limit for each project.
  testTimeout: 600_000,
  projects: [
    kind('unit', 'spec'),
    kind('integration', 'int-spec', {
      ...withPostgres,
      testPathIgnorePatterns: ['/node_modules/', '/test/boundaries/'],
    }),
    { ...kind('boundaries', 'int-spec'), roots: ['<rootDir>/test/boundaries'] },
    kind('e2e', 'e2e-spec', {
      ...withPostgres,
      testPathIgnorePatterns: ['/node_modules/', '/test/faults/'],
    }),
    kind('browser', 'browser-spec', withPostgres),
    faults('smoke'),
    ...longFaults,
  ].map(ofTier),
};
