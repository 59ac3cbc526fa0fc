import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { MIGRATION_NAMES } from '@app/installation';
import { loadStandaloneSettings, type StandaloneSettings } from '@app/installation/settings';

import { keyNameOf, writeEncryptionKeys } from '../encryption-key.js';
import { BackupFile, type BackupHeader, SERVICE_VERSION, writeBackupFile } from './backup-file.js';
import type { BackupRecord } from './backup-records.js';
import { assertNotNewer, keysAfterRestore } from './restorable.js';

const newKey = () => randomBytes(32).toString('base64');
const nameOf = (key: string) => keyNameOf(Buffer.from(key, 'base64'));
const [original, earlier, other] = [newKey(), newKey(), newKey()];

const HEADER: BackupHeader = {
  service_version: SERVICE_VERSION,
  created_at: '2026-01-02T03:04:05.000Z',
  postgres: '18.4',
  migrations: [...MIGRATION_NAMES],
  encryption_keys: [original, earlier].map(nameOf),
  includes_encryption_keys: false,
  tables: [],
  partitions: [],
};

describe('what a restore asks of a backup', () => {
  let dataDir: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'restorable-'));
  });

  afterEach(() => rm(dataDir, { recursive: true }));

  const settings = (more: Record<string, string> = {}): StandaloneSettings =>
    loadStandaloneSettings({ DATA_DIR: dataDir, ...more });

  async function aBackup(includesKeys: boolean): Promise<BackupFile> {
    const file = join(dataDir, 'made.backup');
    async function* records(): AsyncGenerator<BackupRecord, void> {
      if (includesKeys) yield { kind: 'keys', keys: [original, earlier] };
      yield { kind: 'end', tables: 0, rows: 0 };
    }
    await writeBackupFile(file, { ...HEADER, includes_encryption_keys: includesKeys }, records());
    return BackupFile.open(file);
  }

  it('the version of this release is the one of package.json', async () => {
    const manifest = JSON.parse(await readFile(join(import.meta.dirname, '../../../../package.json'), 'utf8'));
    expect(SERVICE_VERSION).toBe(manifest.version);
  });

  it('is a release that is not newer, by its version and its schema', () => {
    expect(() => assertNotNewer('f', HEADER)).not.toThrow();
    expect(() => assertNotNewer('f', { ...HEADER, migrations: MIGRATION_NAMES.slice(0, 3) })).not.toThrow();
    expect(() => assertNotNewer('f', { ...HEADER, service_version: '0.0.9' })).not.toThrow();
    expect(() => assertNotNewer('f', { ...HEADER, service_version: '0.10.0' })).toThrow(
      /made by release 0\.10\.0.*Update this installation/,
    );
    const migrations = [...HEADER.migrations, 'FlyingCars1999999999999'];
    expect(() => assertNotNewer('f', { ...HEADER, migrations })).toThrow(/FlyingCars.*Update this installation/);
  });

  it('is the keys that sealed its values: refused without them, and with another one', async () => {
    const backup = await aBackup(false);
    const remedy = new RegExp(
      `sealed with the keys ${nameOf(original)}, ${nameOf(earlier)}.*Copy the file encryption\\.key`,
    );
    await expect(keysAfterRestore(settings(), backup)).rejects.toThrow(remedy);
    await writeEncryptionKeys(dataDir, [other, original]);
    await expect(keysAfterRestore(settings(), backup)).rejects.toThrow(`sealed with the key ${nameOf(earlier)}, which`);
    await expect(keysAfterRestore(settings({ ENCRYPTION_KEY: other }), backup)).rejects.toThrow(/Set ENCRYPTION_KEY/);
  });

  it('accepts keys from the file and from the environment, which then stay as they are', async () => {
    const backup = await aBackup(false);
    const environment = { ENCRYPTION_KEY: original, ENCRYPTION_KEYS_PREVIOUS: earlier };
    expect(await keysAfterRestore(settings(environment), backup)).toBeUndefined();
    await writeEncryptionKeys(dataDir, [original, earlier]);
    expect(await keysAfterRestore(settings(), backup)).toBeUndefined();
  });

  it('takes keys out of the backup, after those that the installation has', async () => {
    const backup = await aBackup(true);
    expect(await keysAfterRestore(settings(), backup)).toEqual([original, earlier]);
    await writeEncryptionKeys(dataDir, [other]);
    expect(await keysAfterRestore(settings(), backup)).toEqual([other, original, earlier]);
    await expect(keysAfterRestore(settings({ ENCRYPTION_KEY: other }), backup)).rejects.toThrow(/Set ENCRYPTION_KEY/);
  });
});
