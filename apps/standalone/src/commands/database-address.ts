import { join } from 'node:path';

import { errorText } from '@app/kernel';
import type { StandaloneSettings } from '@app/installation/settings';

import { findEmbeddedPostgres } from '../embedded-postgres.js';
import { databaseOfRunningStart } from '../instance-record.js';
import { OperatorError } from '../operator-error.js';
import { queryOnce } from '../postgres/connection.js';

const UNDEFINED_TABLE = '42P01';

/**
 * Without DATABASE_URL, returns the connection string of the embedded database in DATA_DIR, which must be running.
 * @throws OperatorError if no database is running, it does not respond, or it has no schema yet
 */
export async function findDatabase({ databaseUrl, dataDir }: StandaloneSettings): Promise<string> {
  const url =
    databaseUrl ?? (await databaseOfRunningStart(dataDir)) ?? (await findEmbeddedPostgres(join(dataDir, 'postgres')));
  if (url === undefined) {
    throw new OperatorError(
      `No service runs on ${dataDir}. Start it with "npm start", set DATA_DIR to the directory of the running service, or set DATABASE_URL.`,
    );
  }
  await assertUsable(url);
  return url;
}

async function assertUsable(url: string): Promise<void> {
  try {
    await queryOnce(url, 'select from workspaces limit 1');
  } catch (error) {
    const { host, pathname } = new URL(url);
    const database = `the database ${pathname.slice(1)} on ${host}`;
    if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE) {
      throw new OperatorError(`The tables do not exist yet in ${database}. Run the migrate step of the service first.`);
    }
    throw new OperatorError(
      `Cannot use ${database}: ${errorText(error)}. Check DATABASE_URL and that the database runs.`,
    );
  }
}
