import { migrateQueue } from '@app/platform/queue';

import { migrateSchema } from '../../libs/installation/src/migrate-schema.js';

/** Migrates the template of the test databases with the migrations of this checkout, as a start of the product does. */
export async function migrateTestTemplate(url: string): Promise<void> {
  await migrateSchema(url);
  await migrateQueue(url);
}
