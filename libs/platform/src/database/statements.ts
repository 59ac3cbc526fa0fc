import { Injectable } from '@nestjs/common';
import type { Pool, QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { CallBatcher, type CallMaker, type CallValues } from './call-batcher.js';
import { databaseFailure, isLostStatement, wasRefused } from './database-failure.js';
import { readerOf } from './snapshots.service.js';

/** A statement that each connection prepares once, or that is sent as it is where a pooler hands sessions about. Its name must be unique in the service. */
export interface Statement {
  name: string;
  text: string;
}

/**
 * A statement that may be carried out together with others of its kind. The parameters of `batch` are those of the statement,
 * each as an array; the column `call` of its rows says which of them, from 1 on, a row is about. It makes every call
 * as the statement would, or leaves it out.
 */
export interface BatchedStatement extends Statement {
  batch: Statement;
}

/** Runs prepared statements on the data source's own pool: one round trip each, without the ORM in between. */
@Injectable()
export class Statements {
  private readonly pool: Pool;
  private readonly batchers = new Map<BatchedStatement, CallBatcher<QueryResultRow>>();

  /** `onLost`: called when a pooler turns out to lose prepared statements; from then on none is prepared. */
  constructor(
    dataSource: DataSource,
    private prepares = true,
    private readonly onLost: (error: unknown) => void = () => undefined,
  ) {
    this.pool = (dataSource.driver as PostgresDriver).master as Pool;
  }

  /**
   * The rows of one statement, committed by itself.
   * @throws DomainError `unavailable` when the database cannot be reached or gave up (time limits included)
   */
  async query<Row extends QueryResultRow>({ name, text }: Statement, values: readonly unknown[]): Promise<Row[]> {
    try {
      return await this.send<Row>({ name, text }, values);
    } catch (error) {
      throw databaseFailure(error);
    }
  }

  /**
   * The row of one call, committed by itself or together with others that are made at the same time, never halfway.
   * @throws DomainError `unavailable`, see {@link query}
   */
  async call<Row extends QueryResultRow>(statement: BatchedStatement, values: CallValues): Promise<Row | undefined> {
    const batcher = this.batchers.get(statement) ?? this.newBatcher(statement);
    return (await batcher.call(values)) as Row | undefined;
  }

  private newBatcher(statement: BatchedStatement): CallBatcher<QueryResultRow> {
    const batcher = new CallBatcher(this.makerOf(statement));
    this.batchers.set(statement, batcher);
    return batcher;
  }

  private makerOf(statement: BatchedStatement): CallMaker<QueryResultRow> {
    return {
      one: async (values) => (await this.query(statement, values))[0],
      many: async (calls) => {
        const columns = calls[0]!.map((_, parameter) => calls.map((values) => values[parameter] ?? null));
        const rows = await this.rowsOfBatch(statement.batch, columns);
        return new Map(rows.map((row) => [row.call - 1, row]));
      },
    };
  }

  /** None where Postgres refused the batch: then nothing of it was done, and one of its calls is to blame. */
  private async rowsOfBatch(batch: Statement, columns: unknown[][]): Promise<{ call: number }[]> {
    try {
      return await this.send<{ call: number }>(batch, columns);
    } catch (error) {
      if (wasRefused(error)) return [];
      throw databaseFailure(error);
    }
  }

  private async send<Row extends QueryResultRow>({ name, text }: Statement, values: CallValues): Promise<Row[]> {
    const reader = await readerOf(this.pool);
    const ask = async (sent: string | undefined): Promise<Row[]> =>
      (await reader.query<Row>({ name: sent, text, values: [...values] })).rows;
    try {
      return await ask(this.prepares ? name : undefined);
    } catch (error) {
      if (!isLostStatement(error)) throw error;
      if (this.prepares) this.onLost(error);
      this.prepares = false;
      // Postgres refuses such a statement before it carries anything out. A transaction has failed with it, though.
      if (reader !== this.pool) throw error;
      return ask(undefined);
    }
  }
}
