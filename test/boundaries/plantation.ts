import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Contents of files, by path relative to the root of a repository. */
export type Files = Readonly<Record<string, string>>;

export const REPOSITORY = join(import.meta.dirname, '../..');

const CONFIGURATION = [
  'package.json',
  'tsconfig.json',
  'apps/console/tsconfig.json',
  'eslint.config.mjs',
  'eslint.rules.mjs',
  '.dependency-cruiser.cjs',
  'knip.config.js',
  'cspell.json',
  'test/structure/phrases.mjs',
];
/** The list of known violations, which is empty in a test repository. */
const NOTHING_KNOWN: Files = { 'test/structure/known-violations.json': '{ "language": {} }' };

/**
 * Creates a repository in a temporary directory. It has the configuration and packages of this repository, and `files`
 * as its only source files. Findings therefore do not depend on the real files. The caller removes the repository with
 * {@link clear}.
 */
export async function plant(files: Files): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'boundaries-'));
  await symlink(join(REPOSITORY, 'node_modules'), join(root, 'node_modules'));
  for (const name of CONFIGURATION) await cp(join(REPOSITORY, name), join(root, name));
  for (const [path, text] of Object.entries({ ...NOTHING_KNOWN, ...files })) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), `${text}\n`);
  }
  return root;
}

export async function clear(root: string): Promise<void> {
  await rm(root, { recursive: true, force: true });
}

/**
 * Runs a Node.js script and parses its output as JSON. The script runs in a separate process, as when a developer runs
 * it. Loading TypeScript inside jest would take many times longer.
 *
 * @throws with the error output of the script, if the script prints no JSON
 */
export async function jsonFrom<T>(cwd: string, ...args: string[]): Promise<T> {
  const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
    // The exit code is ignored, because a checker also exits with code 1 if it reports findings.
    execFile(process.execPath, args, { cwd, maxBuffer: 256 * 1024 * 1024 }, (_error, out, err) => {
      resolve({ stdout: out, stderr: err });
    });
  });
  try {
    return JSON.parse(stdout) as T;
  } catch (cause) {
    throw new Error(`${args.join(' ')} printed no JSON: ${stderr || stdout.slice(0, 2_000)}`, { cause });
  }
}
