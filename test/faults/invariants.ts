import type { Pool, QueryResultRow } from 'pg';

import { checkInvariants, type Violation } from '../../libs/installation/src/invariants/check-invariants.js';

/** Returns all violations of the invariants of the run state machine. */
export function findViolations(database: Pick<Pool, 'query'>): Promise<Violation[]> {
  return checkInvariants({
    query: async <Row extends QueryResultRow>({ text }: { text: string }, values: readonly unknown[]) =>
      (await database.query<Row>(text, [...values])).rows,
  });
}
