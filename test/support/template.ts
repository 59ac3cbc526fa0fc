import { migrateQueue } from '@app/platform/queue';

import { migrateSchema } from '../../libs/installation/src/migrate-schema.js';

/** Brings the template of the test databases to the schema of this checkout, exactly as a start of the product does. */
export async function migrateTestTemplate(url: string): Promise<void> {
  await migrateSchema(url);
  await migrateQueue(url);
}
