import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { DatabaseModule } from '@app/platform/database';
import { PrintedLinksService, WorkspaceBootstrapService, WorkspaceModule } from '@app/workspace';
import { NestFactory } from '@nestjs/core';

import { queryOnce } from './postgres/connection.js';

/**
 * `made` is the key if this start created it. If an earlier start created the key, `made` is absent and only the file
 * contains the key.
 */
export interface AdminKey {
  file: string;
  made?: string;
}

export const FIRST_ADMIN = { name: 'default', adminEmail: 'admin@example.com' };

/**
 * If an earlier start was killed before it stored the key, the admin gets another key. Rejects with the error of the
 * database.
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

export async function withBootstrap<T>(
  databaseUrl: string,
  work: (bootstrap: WorkspaceBootstrapService, links: PrintedLinksService) => Promise<T>,
): Promise<T> {
  const database = DatabaseModule.of({ url: databaseUrl, poolSize: 2, applicationName: 'standalone' });
  const root = { module: WorkspaceModule, imports: [database] };
  const context = await NestFactory.createApplicationContext(root, { logger: ['error'] });
  try {
    const found = { strict: false };
    return await work(context.get(WorkspaceBootstrapService, found), context.get(PrintedLinksService, found));
  } finally {
    await context.close();
  }
}

export async function printFirstLink(databaseUrl: string, address: string): Promise<string | undefined> {
  const link = await withBootstrap(databaseUrl, (_, links) => links.createForFirstAdmin());
  return link && consoleLink(address, link.token);
}

export function consoleLink(address: string, token: string): string {
  return `${address}/console/sign-in#${token}`;
}
