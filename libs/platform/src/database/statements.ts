import { Injectable } from '@nestjs/common';
import type { Pool, QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { databaseFailure } from './database-failure.js';

/** A statement that each connection prepares once, or that is sent as it is where a pooler hands sessions about. Its name must be unique in the service. */
export interface Statement {
  name: string;
  text: string;
}

/** Runs prepared statements on the data source's own pool: one round trip each, without the ORM in between. */
@Injectable()
export class Statements {
  private readonly pool: Pool;

  constructor(
    dataSource: DataSource,
    private readonly prepares = true,
  ) {
    this.pool = (dataSource.driver as PostgresDriver).master as Pool;
  }

  /**
   * The rows of one statement, committed by itself.
   * @throws DomainError `unavailable` when the database cannot be reached or gave up (time limits included)
   */
  async query<Row extends QueryResultRow>({ name, text }: Statement, values: readonly unknown[]): Promise<Row[]> {
    try {
      const prepared = this.prepares ? { name } : {};
      const result = await this.pool.query<Row>({ ...prepared, text, values: [...values] });
      return result.rows;
    } catch (error) {
      throw databaseFailure(error);
    }
  }
}
