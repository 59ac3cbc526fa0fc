import { randomBytes } from 'node:crypto';

import { DatabaseModule } from '@app/platform/database';
import { type BootstrapResult, WorkspaceBootstrapService, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

@Module({})
class FirstKeyModule {}

/** Creates a workspace with an admin. Returns the workspace and a `live` API key of the admin. */
export async function newWorkspace(databaseUrl: string): Promise<BootstrapResult> {
  const [created] = await newWorkspaces(databaseUrl, 1);
  return created!;
}

export async function newWorkspaces(databaseUrl: string, count: number): Promise<BootstrapResult[]> {
  const database = DatabaseModule.of({ url: databaseUrl, poolSize: 1, applicationName: 'test' });
  const root = { module: FirstKeyModule, imports: [database, WorkspaceModule] };
  const context = await NestFactory.createApplicationContext(root, { logger: ['error'] });
  try {
    const bootstrap = context.get(WorkspaceBootstrapService, { strict: false });
    const created: BootstrapResult[] = [];
    for (let n = 0; n < count; n++) {
      const name = `stack-${randomBytes(4).toString('hex')}`;
      created.push(await bootstrap.createWorkspace({ name, adminEmail: 'admin@example.com' }));
    }
    return created;
  } finally {
    await context.close();
  }
}
