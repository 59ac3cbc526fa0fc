import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { DatabaseModule } from '@app/platform/database';
import { WorkspaceBootstrap, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

import { queryOnce } from './postgres/connection.js';

/** The key of the first administrator: `made` only by the start that made the workspace, which shows it. */
export interface AdminKey {
  file: string;
  made?: string;
}

export const FIRST_ADMIN = { name: 'default', adminEmail: 'admin@example.com' };

/**
 * Makes the first workspace, with an admin and their key, in an installation that has none; the key is kept in
 * `DATA_DIR/admin.key`, readable by its owner only. A start that was killed between the two is made good: its key is lost,
 * so that workspace's admin gets another one. Rejects with the database's error.
 */
export async function ensureFirstWorkspace(databaseUrl: string, dataDir: string): Promise<AdminKey> {
  const file = join(dataDir, 'admin.key');
  const unfinished = join(dataDir, 'admin.key.unfinished');
  const exists = (await queryOnce(databaseUrl, 'SELECT FROM workspaces LIMIT 1')).length > 0;
  if (exists && (await stat(unfinished).catch(() => undefined)) === undefined) return { file };
  if (exists && (await readFile(file, 'utf8').catch(() => '')) !== '') {
    await rm(unfinished);
    return { file };
  }
  await writeFile(unfinished, '', { mode: 0o600 });
  const made = await withBootstrap(databaseUrl, (bootstrap) =>
    exists
      ? bootstrap.createKey({ role: 'admin', email: FIRST_ADMIN.adminEmail, kind: 'live', name: 'first admin key' })
      : bootstrap.createWorkspace(FIRST_ADMIN),
  );
  await writeFile(file, `${made.key}\n`, { mode: 0o600 });
  await rm(unfinished);
  return { file, made: made.key };
}

/** Composed when the database's address is known. */
@Module({})
class FirstWorkspaceModule {}

/** Runs work that needs nothing but the database, in an application of its own. */
export async function withBootstrap<T>(
  databaseUrl: string,
  work: (bootstrap: WorkspaceBootstrap) => Promise<T>,
): Promise<T> {
  const database = DatabaseModule.of({ url: databaseUrl, poolSize: 2, applicationName: 'standalone' });
  const root = { module: FirstWorkspaceModule, imports: [database, WorkspaceModule] };
  const context = await NestFactory.createApplicationContext(root, { logger: ['error'] });
  try {
    return await work(context.get(WorkspaceBootstrap, { strict: false }));
  } finally {
    await context.close();
  }
}
