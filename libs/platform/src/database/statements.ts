import { Injectable } from '@nestjs/common';
import type { Pool, QueryResultRow } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { databaseFailure } from './database-failure.js';

/** A statement that each connection prepares once. Its name must be unique in the service. */
export interface Statement {
  name: string;
  text: string;
}

/** Runs prepared statements on the data source's own pool: one round trip each, without the ORM in between. */
@Injectable()
export class Statements {
  private readonly pool: Pool;

  constructor(dataSource: DataSource) {
    this.pool = (dataSource.driver as PostgresDriver).master as Pool;
  }

  /**
   * The rows of one statement, committed by itself.
   * @throws DomainError `unavailable` when the database cannot be reached or gave up (time limits included)
   */
  async query<Row extends QueryResultRow>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    try {
      const result = await this.pool.query<Row>({ name: statement.name, text: statement.text, values: [...values] });
      return result.rows;
    } catch (error) {
      throw databaseFailure(error);
    }
  }
}
