import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { BootstrapResult } from '@app/workspace';
import { Client } from 'pg';

import { startEmbeddedPostgres } from '../../apps/standalone/src/embedded-postgres.js';
import { eventually } from './eventually.js';

export interface TestDatabase {
  url: string;
  /** Drops the database. Terminates sessions that are still open. */
  drop(): Promise<void>;
}

export interface WorkspaceDatabase extends TestDatabase {
  /**
   * The only workspace in the database, with a `live` API key of its admin. The workspace is the same in all databases
   * of a test run.
   */
  workspace: BootstrapResult;
}

interface TestServer {
  url: string;
  workspace: BootstrapResult;
}

const TEMPLATE = 'migrated';
const WORKSPACE_TEMPLATE = 'with_workspace';

/**
 * Creates a database with the current schema for one test file. The database is a copy of a template, which is migrated
 * once per jest run. Concurrent calls are safe. The first call of a jest run also starts the server, which takes one or
 * two seconds.
 */
export function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(`TEMPLATE ${TEMPLATE}`);
}

/**
 * Creates a database that contains a workspace, for a test that starts the service. The workspace is part of the
 * template database, because creating it in each test file would load a large part of the service.
 */
export async function createWorkspaceDatabase(): Promise<WorkspaceDatabase> {
  const [database, { workspace }] = await Promise.all([createDatabase(`TEMPLATE ${WORKSPACE_TEMPLATE}`), testServer()]);
  return { ...database, workspace };
}

export function createEmptyTestDatabase(): Promise<TestDatabase> {
  return createDatabase('TEMPLATE template0');
}

/** Copies a database. The original must have no open connections. */
export function copyDatabase({ url }: TestDatabase): Promise<TestDatabase> {
  return createDatabase(`TEMPLATE ${new URL(url).pathname.slice(1)}`);
}

async function createDatabase(origin: string): Promise<TestDatabase> {
  const { url: server } = await testServer();
  const name = `test_${process.pid}_${randomBytes(5).toString('hex')}`;
  // Copying the files takes a fifth of the time of the default strategy, which also writes each page to the
  // write-ahead log.
  await execute(server, `CREATE DATABASE ${name} ${origin} STRATEGY FILE_COPY`);
  return {
    url: databaseOn(server, name),
    drop: () => execute(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/**
 * Returns the PostgreSQL server that all jest workers of a test run share. The first jest worker that creates the
 * directory `starting` starts the server. The other workers wait until the file `server.json` of the server exists.
 */
async function testServer(): Promise<TestServer> {
  const place = process.env.TEST_POSTGRES_DIRECTORY;
  if (!place) throw new Error('There is no place for PostgreSQL: jest has to run the global setup of test/support.');
  const word = join(place, 'server.json');
  const first = await mkdir(join(place, 'starting')).then(
    () => true,
    () => false,
  );
  if (first) {
    const outcome = await startServer(place).catch((error: unknown) => ({ error: String(error) }));
    await writeFile(`${word}.new`, JSON.stringify(outcome));
    await rename(`${word}.new`, word);
  }
  const outcome: TestServer | { error: string } = await eventually(async () =>
    JSON.parse(await readFile(word, 'utf8')),
  );
  if ('error' in outcome) throw new Error(`The PostgreSQL of the tests did not start: ${outcome.error}`);
  return outcome;
}

async function startServer(place: string): Promise<TestServer> {
  const lines: string[] = [];
  const { url } = await startEmbeddedPostgres({
    dataDir: join(place, 'postgres'),
    fsync: false,
    log: (line) => lines.push(line),
    settings: { max_connections: '300', shared_buffers: '64MB', log_min_error_statement: 'error' },
  });
  await execute(url, `CREATE DATABASE ${TEMPLATE}`);
  // The module is loaded lazily, because only the test file that starts the server needs it.
  const { addFirstWorkspace, migrateTestTemplate } = await import('./template.js');
  await migrateTestTemplate(databaseOn(url, TEMPLATE));
  await execute(url, `CREATE DATABASE ${WORKSPACE_TEMPLATE} TEMPLATE ${TEMPLATE}`);
  const workspace = await addFirstWorkspace(databaseOn(url, WORKSPACE_TEMPLATE));
  for (const template of [TEMPLATE, WORKSPACE_TEMPLATE])
    await execute(url, `ALTER DATABASE ${template} WITH ALLOW_CONNECTIONS false IS_TEMPLATE true`);
  return { url, workspace };
}

function databaseOn(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
