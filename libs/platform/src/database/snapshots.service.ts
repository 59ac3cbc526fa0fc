import { AsyncLocalStorage } from 'node:async_hooks';
import type { Pool, PoolClient } from 'pg';
import { type DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { databaseFailure, isRefusedWrite } from './database-failure.js';

type Obtained = [PoolClient, (error?: Error) => void];

const BEGIN = 'start transaction isolation level repeatable read, read only';

const current = new AsyncLocalStorage<Snapshot>();

export function readerOf(pool: Pool): Pool | Promise<PoolClient> {
  return current.getStore()?.client() ?? pool;
}

/** Without a snapshot, a row that changes between two reads may appear twice or not at all. */
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
   * They share one connection, so they run one after the other. Postgres rejects writes.
   * @throws DomainError `unavailable` if the database cannot be reached or is overloaded
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

class Snapshot {
  private begun: Promise<Obtained> | undefined;
  isOpen = true;

  constructor(private readonly obtain: () => Promise<Obtained>) {}

  client(): Promise<PoolClient> | undefined {
    if (!this.isOpen) return undefined;
    return (this.begun ??= this.begin()).then(([client]) => client);
  }

  end(): void {
    this.isOpen = false;
    this.begun?.then(
      ([client, release]) => client.query('commit').then(() => release(), release),
      () => undefined,
    );
  }

  /** If BEGIN fails, the first read fails too. */
  private async begin(): Promise<Obtained> {
    const obtained = await this.obtain();
    obtained[0].query(BEGIN).catch(() => undefined);
    return obtained;
  }
}

/** A write in a snapshot is a defect of the service, so it must not be reported as `database_read_only`. */
function writeInSnapshot(cause: unknown): Error {
  return new Error(
    'A snapshot is a read-only transaction and rejects writes. Write outside of SnapshotsService.read.',
    { cause },
  );
}
