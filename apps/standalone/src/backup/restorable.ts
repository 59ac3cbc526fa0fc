import { MIGRATION_NAMES } from '@app/installation';
import type { StandaloneSettings } from '@app/installation/settings';

import { keptEncryptionKeys, keyFile, keyNameOf, knownEncryptionKeys } from '../encryption-key.js';
import { OperatorError } from '../operator-error.js';
import { type BackupFile, type BackupHeader, SERVICE_VERSION } from './backup-file.js';

/** @throws OperatorError if a newer release made the backup */
export function assertNotNewer(path: string, { service_version, migrations }: BackupHeader): void {
  const known = new Set(MIGRATION_NAMES);
  const unknown = migrations.filter((name) => !known.has(name));
  if (unknown.length === 0 && !isNewer(service_version, SERVICE_VERSION)) return;
  const reason = unknown.length === 0 ? '' : `, and its schema has ${unknown.join(', ')}, which is unknown here`;
  throw new OperatorError(
    `${path} was made by release ${service_version}${reason}. This is release ${SERVICE_VERSION}. Update this installation to the release of the backup or a newer one, then restore.`,
  );
}

function isNewer(version: string, than: string): boolean {
  const [left, right] = [version, than].map((text) => text.split(/[.+-]/).map(Number));
  for (const index of [0, 1, 2]) {
    const [a, b] = [left?.[index] ?? 0, right?.[index] ?? 0];
    if (a !== b) return a > b;
  }
  return false;
}

/**
 * The content consists of the existing keys and then the keys of the backup. The service can therefore open the sealed
 * values of the current and of the restored database.
 */
export async function keysAfterRestore(
  settings: StandaloneSettings,
  backup: BackupFile,
): Promise<[string, ...string[]] | undefined> {
  const known = await knownEncryptionKeys(settings);
  // If ENCRYPTION_KEY is set, the service ignores the key file, so the keys of the backup cannot be added.
  const included = settings.encryptionKey === undefined ? await backup.keys() : [];
  const names = new Set([...known, ...included].map((key) => keyNameOf(Buffer.from(key, 'base64'))));
  const missing = backup.header.encryption_keys.filter((name) => !names.has(name));
  if (missing.length > 0) throw new OperatorError(missingKeys(settings, backup, missing));
  const kept = (await keptEncryptionKeys(settings.dataDir)) ?? [];
  const [current, ...previous] = new Set([...kept, ...included]);
  return current === undefined || previous.length + 1 === kept.length ? undefined : [current, ...previous];
}

function missingKeys({ encryptionKey, dataDir }: StandaloneSettings, backup: BackupFile, missing: string[]): string {
  const where =
    encryptionKey === undefined
      ? `Copy the file encryption.key of the original installation to ${keyFile(dataDir)}, or set ENCRYPTION_KEY to its key, and restore again.`
      : 'Set ENCRYPTION_KEY or ENCRYPTION_KEYS_PREVIOUS to the key of the original installation, and restore again.';
  const lead =
    missing.length === 1 ? `the key ${missing[0] ?? ''}, which is` : `the keys ${missing.join(', ')}, which are`;
  return `The secrets in ${backup.path} are sealed with ${lead} not available here. ${where}`;
}
