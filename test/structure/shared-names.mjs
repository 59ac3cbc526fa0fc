/**
 * Finds file names that occur more than once in the repository. A unique name can be searched for, and can be
 * recognised in an editor's list of open files.
 */
import { basename } from 'node:path/posix';

const CODE = /\.(ts|mts|mjs|cjs)$/;
/**
 * Names that may occur several times: `index` is the entry point of a folder, `main` is the entry point of a program,
 * and editors search for `vite.config`.
 */
const FREE = new Set(['index', 'main', 'vite.config']);
/**
 * Paths of files that may share a name. Files for a kind of step, tool or trigger share a name on purpose, such as
 * `steps/agent.ts` and `tools/agent.ts`. A published package is read without the rest of the repository, so its
 * resources have the same names as those of the API.
 */
const KIND = /\/(steps|tools|triggers)\/[^/]+$|^libs\/connectors\/src\/[^/]+\/|^packages\//;

/**
 * @param {readonly string[]} paths
 * @returns {Record<string, string[]>} the paths by the name that they share, without its last extension
 */
export function sharedNames(paths) {
  const byName = {};
  for (const path of paths.filter((each) => CODE.test(each) && !KIND.test(each)).sort())
    (byName[basename(path).replace(CODE, '')] ??= []).push(path);
  return Object.fromEntries(
    Object.entries(byName)
      .filter(([name, found]) => found.length > 1 && !FREE.has(name))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
