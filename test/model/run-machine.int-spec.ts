import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { explore } from './exploration.js';
import { RunDatabase } from './run-database.js';

/** Each run of the test explores others. `MODEL_SEQUENCES=2000` is a longer search. */
const SEQUENCES = Number(process.env.MODEL_SEQUENCES ?? 100);
/**
 * Seed from the report of an earlier failure. If the environment variable `MODEL_SEED` is set, the test repeats the
 * sequences of this seed.
 */
const SEED = process.env.MODEL_SEED === undefined ? undefined : Number(process.env.MODEL_SEED);

describe.each([
  ['with single calls', false],
  ['with batches', true],
])('the run state machine %s', (_, makesBatches) => {
  let database: TestDatabase;
  let runs: RunDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    runs = await RunDatabase.open(database.url, { makesBatches });
  });

  afterAll(async () => {
    await runs.close();
    await database.drop();
  });

  it(
    `returns and stores what its model predicts, in ${SEQUENCES} random sequences of claims, calls, crashes, decisions and stops`,
    async () => {
      const { counterexample } = await explore(runs, { sequences: SEQUENCES, seed: SEED });
      if (counterexample !== undefined) throw new Error(counterexample);
    },
    600_000 + SEQUENCES * 2_000,
  );
});
