import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { databaseFailure, isRefusedWrite } from './database-failure.js';

/** A connection and the function that gives it back to the pool. */
type Obtained = [PoolClient, (error?: Error) => void];

const BEGIN = 'start transaction isolation level repeatable read, read only';

const current = new AsyncLocalStorage<Snapshot>();

/** The connection of the current snapshot; the pool outside of a snapshot. */
export function readerOf(pool: Pool): Pool | Promise<PoolClient> {
  return current.getStore()?.client() ?? pool;
}

/**
 * Runs several reads on one state of the database. Without a snapshot, a row that changes between two reads may be in
 * the answer twice or not at all.
 */
@Injectable()
export class SnapshotsService {
  private readonly obtain: () => Promise<Obtained>;

  constructor(dataSource: DataSource) {
    const driver = dataSource.driver as PostgresDriver;
    const obtain = driver.obtainMasterConnection.bind(driver) as () => Promise<Obtained>;
    this.obtain = obtain;
    driver.obtainMasterConnection = async () => {
      const client = await current.getStore()?.client();
      return client ? [client, () => undefined] : obtain();
    };
  }

  /**
   * Every read in `work` sees the state of the database at the first read. The reads share one connection and therefore
   * run one after the other. Postgres refuses writes. A nested call reads from the outer snapshot.
   * @throws DomainError `unavailable` when the database cannot be reached or gave up
   */
  async read<T>(work: () => Promise<T>): Promise<T> {
    if (current.getStore()?.isOpen) return work();
    const snapshot = new Snapshot(this.obtain);
    try {
      return await current.run(snapshot, work);
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

  /** Commits without waiting for it: the reads have their answers already. */
  end(): void {
    this.isOpen = false;
    this.begun?.then(
      ([client, release]) => client.query('commit').then(() => release(), release),
      () => undefined,
    );
  }

  /** Pipelined with the first read, which fails too if BEGIN fails. */
  private async begin(): Promise<Obtained> {
    const obtained = await this.obtain();
    obtained[0].query(BEGIN).catch(() => undefined);
    return obtained;
  }
}

/** A defect of the service, so not `database_read_only`. */
function writeInSnapshot(cause: unknown): Error {
  return new Error(
    'A snapshot is a read-only transaction and refuses writes. Write outside of SnapshotsService.read.',
    { cause },
  );
}
