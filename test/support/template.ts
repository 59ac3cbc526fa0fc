import { migrateQueue } from '@app/platform/queue';

import { migrateSchema } from '../../libs/installation/src/migrate-schema.js';

/** Migrates the template of the test databases in the same way as the product migrates its database at startup. */
export async function migrateTestTemplate(url: string): Promise<void> {
  await migrateSchema(url);
  await migrateQueue(url);
}

/** Creates the first workspace of the template for services. */
export { newWorkspace as addFirstWorkspace } from './new-workspace.js';
