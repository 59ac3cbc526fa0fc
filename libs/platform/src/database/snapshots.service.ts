import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { databaseFailure, isRefusedWrite } from './database-failure.js';

/** A connection and the function that gives it back to the pool. */
type Obtained = [PoolClient, (error?: Error) => void];

const BEGIN = 'start transaction isolation level repeatable read, read only';

const present = new AsyncLocalStorage<Snapshot>();

/** The connection of the snapshot that the present work reads from; else the pool. */
export function readerOf(pool: Pool): Pool | Promise<PoolClient> {
  return present.getStore()?.client() ?? pool;
}

/**
 * Answers that take several reads, from one state of the database. Without this, a row that changes between two reads is in the
 * answer twice, or not at all.
 */
@Injectable()
export class SnapshotsService {
  private readonly obtain: () => Promise<Obtained>;

  constructor(dataSource: DataSource) {
    const driver = dataSource.driver as PostgresDriver;
    const obtain = driver.obtainMasterConnection.bind(driver) as () => Promise<Obtained>;
    this.obtain = obtain;
    driver.obtainMasterConnection = async () => {
      const client = await present.getStore()?.client();
      return client ? [client, () => undefined] : obtain();
    };
  }

  /**
   * Every read in `work` sees the state of the database at the first of them. All share one connection, so that they wait for
   * each other; a write is refused by Postgres. Inside of another snapshot it reads from that one.
   * @throws DomainError `unavailable` when the database cannot be reached or gave up
   */
  async read<T>(work: () => Promise<T>): Promise<T> {
    if (present.getStore()?.isOpen) return work();
    const snapshot = new Snapshot(this.obtain);
    try {
      return await present.run(snapshot, work);
    } catch (error) {
      throw isRefusedWrite(error) ? writeInSnapshot(error) : databaseFailure(error);
    } finally {
      snapshot.end();
    }
  }
}

/** One read-only transaction. It takes a connection when the first read asks for it. */
class Snapshot {
  private begun: Promise<Obtained> | undefined;
  isOpen = true;

  constructor(private readonly obtain: () => Promise<Obtained>) {}

  /** The connection to read with; undefined after the end. */
  client(): Promise<PoolClient> | undefined {
    if (!this.isOpen) return undefined;
    return (this.begun ??= this.begin()).then(([client]) => client);
  }

  /** The answer does not wait for this: what it has read is known. */
  end(): void {
    this.isOpen = false;
    this.begun?.then(
      ([client, release]) => client.query('commit').then(() => release(), release),
      () => undefined,
    );
  }

  /** The first read goes out together with the beginning. Where that fails, the connection is lost, and the read fails as well. */
  private async begin(): Promise<Obtained> {
    const obtained = await this.obtain();
    obtained[0].query(BEGIN).catch(() => undefined);
    return obtained;
  }
}

/** A defect of the service, and no server that is read-only. */
function writeInSnapshot(cause: unknown): Error {
  return new Error('A snapshot refuses writes: it is a read-only transaction.', { cause });
}
