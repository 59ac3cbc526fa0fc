import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ABOVE = join(import.meta.dirname, '..', '..');

/**
 * Root folder of the repository. Benchmarks run the compiled copy of this file in `dist`, which is one level deeper.
 */
export const REPOSITORY_ROOT = existsSync(join(ABOVE, 'package.json')) ? ABOVE : join(ABOVE, '..');
