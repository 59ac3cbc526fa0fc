import type { JsonValue } from '@app/kernel';
import type { StateEntry } from './state.store.js';

export type EntryView = {
  key: string;
  value: JsonValue;
  version: number;
  updated_at: string;
  expires_at: string | null;
};

export function presentEntry({ key, value, version, updatedAt, expiresAt }: StateEntry): EntryView {
  return {
    key,
    value,
    version,
    updated_at: updatedAt.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
  };
}

/** Returns the view of a key that does not exist. */
export function presentAbsence(key: string, value: JsonValue): Omit<EntryView, 'updated_at'> & { updated_at: null } {
  return { key, value, version: 0, updated_at: null, expires_at: null };
}
