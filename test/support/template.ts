import { migrateQueue } from '@app/platform/queue';

import { migrateSchema } from '../../libs/installation/src/migrate-schema.js';

/** Migrates the template of the test databases. Does this in the same way as the service at its startup. */
export async function migrateTestTemplate(url: string): Promise<void> {
  await migrateSchema(url);
  await migrateQueue(url);
}

/** Adds the first workspace to a template database. Tests that start the service use copies of it. */
export { newWorkspace as addFirstWorkspace } from './new-workspace.js';
