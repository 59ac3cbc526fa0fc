import { migrateQueue } from '@app/platform/queue';

import { migrateSchema } from '../../libs/installation/src/migrate-schema.js';

/** Migrates the template of the test databases in the same way as the service migrates its database at startup. */
export async function migrateTestTemplate(url: string): Promise<void> {
  await migrateSchema(url);
  await migrateQueue(url);
}

/** Adds the first workspace to the template of databases for services. */
export { newWorkspace as addFirstWorkspace } from './new-workspace.js';
