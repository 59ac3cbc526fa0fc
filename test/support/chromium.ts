import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { keeper } from './keeper.js';
import { REPOSITORY_ROOT } from './repository-root.js';

const MODULES = join(REPOSITORY_ROOT, 'node_modules');
const PACKAGE = join(MODULES, '@sparticuz/chromium');
/**
 * Command-line arguments of Chromium. They replace the default arguments of the Chromium package, which disable the web
 * security that the tests check.
 */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--font-render-hinting=none',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Returns why no browser can be started on this machine, or undefined if one can be started. */
export function missingBrowser(): string | undefined {
  if (process.env.CHROME_PATH !== undefined || (process.platform === 'linux' && process.arch === 'x64'))
    return undefined;
  return `${process.platform}-${process.arch} has no Chromium package: set CHROME_PATH to an installed Chrome.`;
}

/** Starts a browser of its own. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch(await launchOptions());
}

/** Connects to the browser that all test files of a jest run share. The caller closes only its own contexts. */
export async function connectBrowser(): Promise<Browser> {
  return chromium.connect(await keeper<string>('browse', 'browser', await launchOptions()));
}

/** Options for the browser at the path in `CHROME_PATH` or, if it is not set, for the Chromium of the npm package. */
async function launchOptions(): Promise<LaunchOptions> {
  const installed = process.env.CHROME_PATH;
  if (installed !== undefined) return { executablePath: installed, args: ARGUMENTS };
  const folder = await unpackedChromium();
  return {
    executablePath: join(folder, 'chromium'),
    args: ARGUMENTS,
    env: {
      ...definedEnvironment(),
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_PATH: folder,
    },
  };
}

/**
 * Unpacks Chromium and returns its path. Unpacks it into a temporary folder and then renames the folder, because
 * several test processes may do this at the same time.
 */
async function unpackedChromium(): Promise<string> {
  const { version } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')) as { version: string };
  const cache = join(MODULES, '.cache');
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const fresh = await mkdtemp(join(cache, 'chromium-unpacking-'));
  await decompress('chromium.br', join(fresh, 'chromium'));
  await chmod(join(fresh, 'chromium'), 0o755);
  await unpack('al2023', join(fresh, 'al2023'));
  await unpack('fonts', fresh);
  await writeFile(join(fresh, 'fonts.conf'), fontConfiguration(folder));
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true, force: true }));
  return folder;
}

/**
 * Returns a font configuration for the unpacked folder. The configuration in the package refers to folders outside the
 * package.
 */
function fontConfiguration(folder: string): string {
  const folders = `<dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'font-cache')}</cachedir>`;
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${folders}</fontconfig>`;
}

async function unpack(name: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const archive = join(folder, `${name}.tar`);
  await decompress(`${name}.tar.br`, archive);
  await promisify(execFile)('tar', ['--extract', '--file', archive, '--directory', folder]);
  await rm(archive);
}

async function decompress(name: string, target: string): Promise<void> {
  const source = createReadStream(join(PACKAGE, 'bin', name));
  await pipeline(source, createBrotliDecompress(), createWriteStream(target));
}

function definedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
