import type { DataSource, EntityManager } from 'typeorm';
import { databaseFailure } from './database-failure.js';

export interface Transaction {
  manager: EntityManager;
  /** Enqueue jobs here and not inside the transaction, because a worker could start before the commit. */
  afterCommit(action: () => void): void;
}

export class Transactions {
  constructor(private readonly dataSource: DataSource) {}

  /** @throws DomainError `unavailable` for temporary failures of the database */
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
