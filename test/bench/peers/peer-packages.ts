import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { cacheFolder } from '../../support/cache-folder.js';

const STAMP = '.installed.json';
const SIGN_OF_LIFE_EVERY_MS = 10_000;
const LAST_LINES = 15;

export interface PeerPackage {
  name: string;
  version: string;
  licence: string;
  about: string;
  /** Versions of dependencies that override those in the package. */
  overrides?: Readonly<Record<string, string>>;
}

export const PLATFORM = `${process.platform}-${process.arch}`;

/** The Node.js of the images of this service. It runs all contenders. */
export const NODE_PACKAGE: PeerPackage = {
  name: `node-${PLATFORM}`,
  version: '24.21.0',
  licence: 'MIT',
  about: 'Node 24 for all contenders, 125 MB',
};

/**
 * Returns the default folder for the installation of peers. It is outside the checkout, so that neither the project nor
 * a peer resolves packages of the other.
 */
export function defaultPackagesFolder(): string {
  return cacheFolder('agent-automation-bench');
}

export function installedFile(packages: string, { name, version }: PeerPackage, path: string): string {
  return join(folderOf(packages, { name, version }), 'node_modules', name, path);
}

/**
 * Installs exactly the version in `peer` from the npm registry into a separate folder below `packages`, unless it is
 * installed already. Install scripts do not run. If npm fails, rejects with the last lines of its output. The next call
 * then completes the partial installation.
 */
export async function installPeer(packages: string, peer: PeerPackage, say: (line: string) => void): Promise<void> {
  const folder = folderOf(packages, peer);
  const manifest = JSON.stringify({
    private: true,
    dependencies: { [peer.name]: peer.version },
    overrides: peer.overrides ?? {},
  });
  const stamp = join(folder, STAMP);
  if ((await readFile(stamp, 'utf8').catch(() => '')) === stampOf(manifest)) return;
  say(`installing ${peer.name} ${peer.version} (${peer.about}; licence: ${peer.licence}) into ${folder}`);
  say('it is run here to be measured, and is neither a dependency of this project nor shipped with it');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), manifest);
  await npmInstall(folder, (seconds) => say(`installing ${peer.name} … ${seconds} s`));
  await writeFile(stamp, stampOf(manifest));
}

function folderOf(packages: string, { name, version }: Pick<PeerPackage, 'name' | 'version'>): string {
  return join(packages, `${name.replaceAll('/', '-')}-${version}`);
}

/**
 * Returns the text that marks a folder as installed. It contains the platform and the version of Node.js, because
 * compiled packages depend on both.
 */
function stampOf(manifest: string): string {
  return `${manifest} ${process.platform}-${process.arch} ${process.versions.modules}`;
}

async function npmInstall(folder: string, stillAtIt: (seconds: number) => void): Promise<void> {
  const npm = process.env.npm_execpath;
  const [command, ...first] =
    npm !== undefined && existsSync(npm) && npm.endsWith('npm-cli.js') ? [process.execPath, npm] : ['npm'];
  // The variables `npm_*` of this process are not passed on, because they apply to the checkout.
  const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const begun = performance.now();
  const ticker = setInterval(() => stillAtIt(Math.round((performance.now() - begun) / 1000)), SIGN_OF_LIFE_EVERY_MS);
  try {
    await new Promise<void>((resolve, reject) => {
      const output: string[] = [];
      const child = spawn(command, [...first, 'install', '--ignore-scripts', '--no-audit', '--no-fund'], {
        cwd: folder,
        env: Object.fromEntries(own),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(String(chunk)));
      child.once('error', reject);
      child.once('close', (code) => {
        const last = output.join('').trimEnd().split('\n').slice(-LAST_LINES).join('\n');
        if (code === 0) resolve();
        else reject(new Error(`npm install failed (exit code ${code ?? '?'}):\n${last}`));
      });
    });
  } finally {
    clearInterval(ticker);
  }
}
