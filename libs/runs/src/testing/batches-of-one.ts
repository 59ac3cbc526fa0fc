import { storableJson } from '@app/kernel';
import { type BatchedStatement, Statements } from '@app/platform/database';
import type { QueryResultRow } from 'pg';

/**
 * Makes each call with the batch function, so that tests of single calls also test the batch functions. If the batch
 * function omits a call from its result, makes this call with the function for single calls, like the service.
 */
export class BatchesOfOne extends Statements {
  override async call<Row extends QueryResultRow>(statement: BatchedStatement, call: object): Promise<Row | undefined> {
    const [row] = await this.query<Row>(statement.batch, [storableJson([call])]);
    return row ?? this.callAlone<Row>(statement, call);
  }
}
