import { storableJson } from '@app/kernel';
import type { Pool, QueryResultRow } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { CallBatcher, type CallMaker } from './call-batcher.js';
import { databaseFailure, isLostStatement, wasRefused } from './database-failure.js';
import { readerOf } from './snapshots.service.js';

/** Behind a pooler that loses prepared statements, it is sent unprepared. The name must be unique in the service. */
export interface Statement {
  name: string;
  text: string;
}

/**
 * The only parameter of `batch` is a JSON array of calls. The rows of `batch` have a column `call`: the position of the
 * call, starting with 1. For each call, the batch either has the effect of the statement, or has no effect and returns
 * no row.
 */
export interface BatchedStatement extends Statement {
  batch: Statement;
}

/** Returns the bytes as text that Postgres reads as `bytea`, for a member of a JSON parameter. */
export function byteaText(bytes: Buffer): string {
  return `\\x${bytes.toString('hex')}`;
}

export class Statements {
  private readonly pool: Pool;
  private readonly batchers = new Map<BatchedStatement, CallBatcher<QueryResultRow>>();

  /** @param onLost called when a pooler has lost a prepared statement; later statements are not prepared */
  constructor(
    source: DataSource | Pool,
    private prepares = true,
    private readonly onLost: (error: unknown) => void = () => undefined,
  ) {
    this.pool = 'driver' in source ? ((source.driver as PostgresDriver).master as Pool) : source;
  }

  /** @throws DomainError `unavailable` if the database cannot be reached or a time limit ended the statement */
  async query<Row extends QueryResultRow>({ name, text }: Statement, values: readonly unknown[]): Promise<Row[]> {
    try {
      return await this.send<Row>({ name, text }, values);
    } catch (error) {
      throw databaseFailure(error);
    }
  }

  /**
   * Omits members of the call that are undefined. Replaces characters that Postgres cannot store, in all texts of the
   * call (see `storableJson`).
   * @throws DomainError `unavailable`, see {@link query}
   */
  async call<Row extends QueryResultRow>(statement: BatchedStatement, call: object): Promise<Row | undefined> {
    const batcher = this.batchers.get(statement) ?? this.newBatcher(statement);
    return (await batcher.call(storableJson(call))) as Row | undefined;
  }

  async callAlone<Row extends QueryResultRow>(statement: Statement, call: object): Promise<Row | undefined> {
    return (await this.query<Row>(statement, [storableJson(call)]))[0];
  }

  private newBatcher(statement: BatchedStatement): CallBatcher<QueryResultRow> {
    const batcher = new CallBatcher(this.makerOf(statement));
    this.batchers.set(statement, batcher);
    return batcher;
  }

  private makerOf(statement: BatchedStatement): CallMaker<QueryResultRow> {
    return {
      one: async (call) => (await this.query(statement, [call]))[0],
      many: async (calls) => {
        const rows = await this.rowsOfBatch(statement.batch, `[${calls.join(',')}]`);
        return new Map(rows.map((row) => [row.call - 1, row]));
      },
    };
  }

  /**
   * If Postgres rejected the batch, returns no rows: the batch had no effect, and the caller executes each call by
   * itself.
   */
  private async rowsOfBatch(batch: Statement, calls: string): Promise<{ call: number }[]> {
    try {
      return await this.send<{ call: number }>(batch, [calls]);
    } catch (error) {
      if (wasRefused(error)) return [];
      throw databaseFailure(error);
    }
  }

  private async send<Row extends QueryResultRow>(
    { name, text }: Statement,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const reader = await readerOf(this.pool);
    const ask = async (sent: string | undefined): Promise<Row[]> =>
      (await reader.query<Row>({ name: sent, text, values: [...values] })).rows;
    try {
      return await ask(this.prepares ? name : undefined);
    } catch (error) {
      if (!isLostStatement(error)) throw error;
      if (this.prepares) this.onLost(error);
      this.prepares = false;
      // Postgres has rejected the statement without executing it, so a retry is safe. In a transaction, a retry is
      // useless, because the whole transaction has failed.
      if (reader !== this.pool) throw error;
      return ask(undefined);
    }
  }
}
