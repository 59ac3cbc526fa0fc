import { Injectable } from '@nestjs/common';
import { MIGRATIONS } from './migrations/index.js';
import { Statements } from './statements.js';

export type DatabaseStatus = { ok: true } | { ok: false; missing: 'database' | 'migrations'; problem: string };

const APPLIED = { name: 'database_health', text: 'select name from schema_migrations' };
const UNDEFINED_TABLE = '42P01';

/** For the readiness probe. */
@Injectable()
export class DatabaseHealth {
  constructor(private readonly statements: Statements) {}

  /** Whether Postgres answers and has the schema of this release (a newer one is fine). Never rejects. */
  async check(): Promise<DatabaseStatus> {
    try {
      const rows = await this.statements.query<{ name: string }>(APPLIED, []);
      const applied = new Set(rows.map((row) => row.name));
      const missing = MIGRATIONS.map((migration) => migration.name).filter((name) => !applied.has(name));
      return missing.length === 0 ? { ok: true } : unmigrated(missing.join(', '));
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE) return unmigrated('all of them');
      return { ok: false, missing: 'database', problem: 'Postgres does not answer.' };
    }
  }
}

function unmigrated(names: string): DatabaseStatus {
  return { ok: false, missing: 'migrations', problem: `The schema lacks migrations (${names}): run the migrate step.` };
}
