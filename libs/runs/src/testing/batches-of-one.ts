import { type BatchedStatement, Statements } from '@app/platform/database';
import type { QueryResultRow } from 'pg';

/**
 * Makes each call with the function for several calls, so that a test of single calls also tests that function. Like
 * the service, makes a call that the batch omits with the function for single calls.
 */
export class BatchesOfOne extends Statements {
  override async call<Row extends QueryResultRow>(
    statement: BatchedStatement,
    values: readonly unknown[],
  ): Promise<Row | undefined> {
    const columns = values.map((value) => [value ?? null]);
    const [row] = await this.query<Row>(statement.batch, columns);
    return row ?? (await this.query<Row>(statement, values))[0];
  }
}
