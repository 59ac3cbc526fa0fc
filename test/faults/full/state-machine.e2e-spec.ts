import { explore } from '../../model/exploration.js';
import { RunDatabase } from '../../model/run-database.js';
import { createTestDatabase } from '../../support/postgres.js';

/** Number of random sequences. `npm test` executes only 300, in test/model. */
const SEQUENCES = 3_000;
const SIDE_BY_SIDE = 4;

describe('the run state machine', () => {
  it(`returns and stores what its model predicts, in ${SEQUENCES} random sequences of claims, calls, crashes, decisions and stops`, async () => {
    const findings = await Promise.all(
      Array.from({ length: SIDE_BY_SIDE }, () => exploration(SEQUENCES / SIDE_BY_SIDE)),
    );
    expect(findings).toEqual(findings.map(() => ({ sequences: SEQUENCES / SIDE_BY_SIDE, counterexample: undefined })));
  });
});

/**
 * Executes random sequences of commands in a separate database, because some commands search the whole database for
 * runs that are lost or due.
 */
async function exploration(sequences: number) {
  const database = await createTestDatabase();
  try {
    const runs = await RunDatabase.open(database.url);
    try {
      return await explore(runs, { sequences });
    } finally {
      await runs.close();
    }
  } finally {
    await database.drop();
  }
}
