import { ConfigurationError } from '@app/platform/config';
import type { QueryRunner } from 'typeorm';
import type { LibSchema } from './lib-schema.js';

export interface FormerMigrations {
  count: number;
  last: string;
}

/**
 * Changes nothing in a database without former migrations.
 * @throws ConfigurationError if the database has only some of the former migrations
 */
export async function recordBaselines(
  queryRunner: QueryRunner,
  libs: readonly LibSchema[],
  former: FormerMigrations,
): Promise<void> {
  if (!(await queryRunner.hasTable('schema_migrations'))) return;
  const lastTimestamp = timestampOf(former.last);
  const [found] = (await queryRunner.query(
    `select count(*)::integer as count, coalesce(bool_or(name = $1), false) as "hasLast"
     from schema_migrations where timestamp <= $2`,
    [former.last, lastTimestamp],
  )) as [{ count: number; hasLast: boolean }];
  if (found.count === 0) return;
  if (found.count !== former.count || !found.hasLast) {
    throw new ConfigurationError([
      `The database has ${found.count} of the ${former.count} migrations that the baselines replace. Run the migrate step of the ` +
        `last commit with the folder libs/platform/src/database/migrations first, and then this one.`,
    ]);
  }
  for (const { name } of libs.flatMap(({ baseline }) => baseline ?? [])) {
    await queryRunner.query(
      `insert into schema_migrations (timestamp, name)
       select $1, $2::text where not exists (select from schema_migrations where name = $2)`,
      [timestampOf(name), name],
    );
  }
}

function timestampOf(name: string): number {
  return Number(name.slice(-13));
}
