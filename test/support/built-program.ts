import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY_ROOT } from './repository-root.js';

/** Returns the path of a program in the build. `source` is its path in the repository, without its extension. */
export function builtProgram(source: string): string {
  const program = join(REPOSITORY_ROOT, 'dist', `${source}.js`);
  if (!existsSync(program)) throw new Error(`${program} is missing: run npm test or npm run build first.`);
  return program;
}

/** Settings of a confined process, whose defaults name programs beside the module, which is not built in a test. */
export function builtPrograms(source: string): { host: string; program: string } {
  return { host: builtProgram('libs/platform/src/sandbox/process-host'), program: builtProgram(source) };
}
