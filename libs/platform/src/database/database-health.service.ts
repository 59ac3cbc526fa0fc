import { type Clock, errorText, systemClock } from '@app/kernel';
import { type DataSource } from 'typeorm';
import { namedCause, READ_ONLY_DETAIL } from './database-failure.js';
import { type Statements } from './statements.js';

export type DatabaseStatus = { ok: true } | { ok: false; missing: 'database' | 'migrations'; problem: string };

const APPLIED = {
  name: 'database_health',
  text: `select name, pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as "isReadOnly"
    from schema_migrations`,
};
const UNDEFINED_TABLE = '42P01';

/** The rows need more memory than `work_mem`, so Postgres writes about 0.5 MiB to its disk and deletes it again. */
const WRITES_TO_DISK = ["set local work_mem = '64kB'", 'select count(*) from generate_series(1, 20000)'] as const;
/** Time in milliseconds for which a disk check is reused. A failure may come from a moment of high load. */
const REUSE_MILLIS = { ok: 5_000, failed: 1_000 };

export class DatabaseHealthService {
  private disk: { until: number; problem: string | undefined } = { until: -Infinity, problem: undefined };

  constructor(
    private readonly statements: Statements,
    private readonly dataSource: DataSource,
    private readonly migrations: readonly string[],
  ) {}

  async check(clock: Pick<Clock, 'monotonicMillis'> = systemClock): Promise<DatabaseStatus> {
    try {
      const rows = await this.statements.query<{ name: string; isReadOnly: boolean }>(APPLIED, []);
      if (rows.some((row) => row.isReadOnly)) return away(READ_ONLY_DETAIL);
      const applied = new Set(rows.map((row) => row.name));
      const missing = this.migrations.filter((name) => !applied.has(name));
      if (missing.length > 0) return unmigrated(missing.join(', '));
      const problem = await this.diskProblem(clock.monotonicMillis());
      return problem === undefined ? { ok: true } : away(problem);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE) return unmigrated('all of them');
      return away('Postgres does not respond.');
    }
  }

  /** A read proves nothing, because reads succeed even if the disk is full. */
  private async diskProblem(now: number): Promise<string | undefined> {
    if (now >= this.disk.until) {
      const problem = await this.writeProblem();
      this.disk = { until: now + REUSE_MILLIS[problem === undefined ? 'ok' : 'failed'], problem };
    }
    return this.disk.problem;
  }

  private async writeProblem(): Promise<string | undefined> {
    try {
      await this.dataSource.transaction(async (manager) => {
        for (const statement of WRITES_TO_DISK) await manager.query(statement);
      });
      return undefined;
    } catch (error) {
      return namedCause(error)?.detail ?? `Postgres cannot write: ${errorText(error)}`;
    }
  }
}

function away(problem: string): DatabaseStatus {
  return { ok: false, missing: 'database', problem };
}

function unmigrated(names: string): DatabaseStatus {
  return {
    ok: false,
    missing: 'migrations',
    problem: `The schema lacks migrations (${names}). Run the migrate step: \`node dist/apps/api/src/migrate.js\`.`,
  };
}
