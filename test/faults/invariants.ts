import type { Pool, QueryResultRow } from 'pg';

import { checkInvariants, type Violation } from '../../libs/installation/src/invariants/check-invariants.js';

/** Checks the invariants of the run state machine in the database. Returns all violations. */
export function findViolations(database: Pick<Pool, 'query'>): Promise<Violation[]> {
  return checkInvariants({
    query: async <Row extends QueryResultRow>({ text }: { text: string }, values: readonly unknown[]) =>
      (await database.query<Row>(text, [...values])).rows,
  });
}
