import { createTestDatabase } from '../support/postgres.js';
import { explore, type Findings } from './exploration.js';
import { type Mutant, MUTANTS, mutatedSql } from './mutants.js';
import { RunDatabase } from './run-database.js';

/**
 * Number of random sequences. It is several times the number that is needed to detect the mutant that is hardest to
 * detect.
 */
const SEQUENCES = 500;
const SEED = 1;

describe('the model of the run state machine', () => {
  it.each(MUTANTS)('detects the mutant: $mistake', async (mutant) => {
    const { counterexample } = await exploreMutant(mutant);
    expect(counterexample).toBeDefined();
    // The mutant must be valid SQL that behaves incorrectly.
    expect(counterexample).not.toMatch(/does not exist|syntax error|ambiguous/);
  });
});

async function exploreMutant(mutant: Mutant): Promise<Findings> {
  const database = await createTestDatabase();
  const runs = await RunDatabase.open(database.url, { makesBatches: mutant.isOfBatches ?? false });
  try {
    await runs.query(await mutatedSql(mutant));
    return await explore(runs, { sequences: SEQUENCES, seed: SEED, firstIsEnough: true });
  } finally {
    await runs.close();
    await database.drop();
  }
}
