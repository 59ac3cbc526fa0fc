/** Builds the package into the folder `dist`. Used by `npm run sdk` and before `npm pack`. */
import { execFile } from 'node:child_process';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import './generate.mjs';

const FOLDER = import.meta.dirname;
const DIST = join(FOLDER, 'dist');

await rm(DIST, { recursive: true, force: true });
const tsc = fileURLToPath(import.meta.resolve('typescript/lib/tsc.js'));
const project = join(FOLDER, 'tsconfig.build.json');
await promisify(execFile)(process.execPath, [tsc, '--project', project]).catch(({ stdout }) => {
  process.stderr.write(stdout);
  process.exit(1);
});
// The TypeScript compiler does not copy existing declaration files to its output.
await copyFile(join(FOLDER, 'src/generated/schema.d.ts'), join(DIST, 'generated/schema.d.ts'));
