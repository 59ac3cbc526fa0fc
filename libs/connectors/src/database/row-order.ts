import type { JsonObject } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';
import type { DatabaseConfig } from './database-config.js';

type Ordered = Pick<DatabaseConfig, 'query' | 'key_column'>;

/** Where a visit has come to in the order of keys: what a checkpoint holds. `place`: the key of the last row, as the database writes it. */
export function orderCheckpoint(place: unknown, config: Ordered): JsonObject {
  return { of: orderOf(config), from: String(place) };
}

/** The place that a checkpoint holds; undefined where there is none, or where the query or the key has been changed since. */
export function leftAt(checkpoint: JsonObject | null, config: Ordered): string | undefined {
  return checkpoint?.of === orderOf(config) && typeof checkpoint.from === 'string' ? checkpoint.from : undefined;
}

function orderOf({ query, key_column }: Ordered): string {
  return sha256(JSON.stringify([query, key_column])).toString('hex');
}
