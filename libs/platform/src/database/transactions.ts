import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { databaseFailure } from './database-failure.js';

/** A running transaction, handed to every repository method that takes part in it. */
export interface Transaction {
  manager: EntityManager;
  /** Runs after the COMMIT and only then: the place to ring the queue, never inside the transaction. */
  afterCommit(action: () => void): void;
}

@Injectable()
export class Transactions {
  constructor(private readonly dataSource: DataSource) {}

  /** Everything in `work` becomes true together, or nothing does. */
  async run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const afterCommit: (() => void)[] = [];
    try {
      const result = await this.dataSource.transaction((manager) =>
        work({ manager, afterCommit: (action) => afterCommit.push(action) }),
      );
      for (const action of afterCommit) action();
      return result;
    } catch (error) {
      throw databaseFailure(error);
    }
  }
}
