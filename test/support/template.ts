import { migrateQueue } from '@app/platform/queue';

import { migrateSchema } from '../../libs/installation/src/migrate-schema.js';

/** Migrates the template of the test databases. Does this in the same way as the service at its startup. */
export async function migrateTestTemplate(url: string): Promise<void> {
  await migrateSchema(url);
  await migrateQueue(url);
}

/** Adds the first workspace to the template of those test databases with which tests start the service. */
export { newWorkspace as addFirstWorkspace } from './new-workspace.js';
