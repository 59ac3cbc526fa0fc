import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Clock, systemClock } from '@app/kernel';
import { loadServiceSettings } from '@app/installation/settings';
import { createLogger } from '@app/platform/observability';
import { WorkspaceBootstrapService } from '@app/workspace';
import { createApi } from '../../apps/api/src/api.js';
import { shutDown } from '../../apps/api/src/shutdown.js';
import { call, execute, type HttpApi, type TestTenant } from './http-api.js';
import { createTestDatabase } from './postgres.js';

type Application = Awaited<ReturnType<typeof createApi>>;

/** The real API. It runs in the process of the test and listens on a free port. */
export interface TestApi extends HttpApi {
  app: Application;
  logged(): Record<string, unknown>[];
  close(): Promise<void>;
}

export interface StartApiOptions {
  /** Connection string of a migrated database. By default, the API gets a new database. */
  databaseUrl?: string;
  clock?: Clock;
  env?: Readonly<Record<string, string>>;
}

export async function startApi({ databaseUrl, ...options }: StartApiOptions = {}): Promise<TestApi> {
  if (databaseUrl !== undefined) return startApiOn(databaseUrl, options);
  const database = await createTestDatabase();
  try {
    const api = await startApiOn(database.url, options);
    const close = async (): Promise<void> => {
      try {
        await api.close();
      } finally {
        await database.drop();
      }
    };
    return { ...api, close };
  } catch (error) {
    await database.drop();
    throw error;
  }
}

async function startApiOn(
  databaseUrl: string,
  { clock = systemClock, env: more = {} }: Omit<StartApiOptions, 'databaseUrl'>,
): Promise<TestApi> {
  const dataDir = join(tmpdir(), `aas-api-${randomBytes(6).toString('hex')}`);
  const config = loadServiceSettings({
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    DATABASE_POOL_SIZE: '5',
    RATE_LIMIT_REQUESTS: '0',
    RATE_LIMIT_FAILED_AUTHENTICATION: '0',
    ...more,
  });
  const lines: string[] = [];
  const logger = createLogger({
    level: 'info',
    format: 'json',
    name: 'api',
    destination: { write: (line) => void lines.push(line) },
  });
  const app = await createApi({ config, logger, clock });
  await app.listen(0, '127.0.0.1');
  const address = app.getHttpServer().address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const url = `http://127.0.0.1:${port}`;
  return {
    databaseUrl,
    url,
    port,
    app,
    logged: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    execute: (sql) => execute(databaseUrl, sql),
    newTenant: () => newTenant(app.get(WorkspaceBootstrapService, { strict: false })),
    call: (method, path, options) => call(`${url}${path}`, method, options),
    close: async () => {
      try {
        await shutDown(app, systemClock);
      } finally {
        await rm(dataDir, { recursive: true, force: true });
      }
    },
  };
}

async function newTenant(bootstrap: WorkspaceBootstrapService): Promise<TestTenant> {
  const name = `tenant-${randomBytes(4).toString('hex')}`;
  const created = await bootstrap.createWorkspace({ name, adminEmail: 'admin@example.com' });
  const { workspaceId } = created;
  return {
    workspaceId,
    adminKey: created.key,
    key: async (role, kind = 'live') => {
      const email = `${role}@example.com`;
      const made = await bootstrap.createKey({ role, email, kind, name: `${role} ${kind}`, workspace: workspaceId });
      return made.key;
    },
  };
}
