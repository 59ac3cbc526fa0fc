import { invariant } from '@app/kernel';
import type { PoolClient, QueryConfig } from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { STATEMENT_LIMITS } from './service-pool.js';
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

/** Up to this size, a value needs no longer time limit. */
const SMALL_BYTES = 4 * 1024 * 1024;
/** Bytes that even a busy database stores in one millisecond. */
const BYTES_PER_MILLI = 2_000;

/** The time limit of a large statement, and of the statements after it in the transaction, grows with its size. */
export async function storeBytes(
  { manager }: Transaction,
  { text, values, bytes }: { text: string; values: unknown[]; bytes: number },
): Promise<void> {
  if (bytes <= SMALL_BYTES) {
    await manager.query(text, values);
    return;
  }
  const more = Math.ceil(bytes / BYTES_PER_MILLI);
  const limit = String(STATEMENT_LIMITS.statementMillis + more);
  await manager.query("select set_config('statement_timeout', $1, true)", [limit]);
  // A query of TypeORM cannot have a time limit of its own, so the statement uses the connection of the transaction.
  invariant(manager.queryRunner, 'a transaction has a connection');
  const connection = (await manager.queryRunner.connect()) as PoolClient;
  const query: QueryConfig & { query_timeout: number } = {
    text,
    values,
    query_timeout: STATEMENT_LIMITS.answerMillis + more,
  };
  await connection.query(query);
}
