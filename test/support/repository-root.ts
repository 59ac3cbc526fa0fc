import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ABOVE = join(import.meta.dirname, '..', '..');

/**
 * The root folder of the repository. Jest runs this file as TypeScript, and the benchmarks run it compiled in `dist`,
 * which is one level deeper.
 */
export const REPOSITORY_ROOT = existsSync(join(ABOVE, 'package.json')) ? ABOVE : join(ABOVE, '..');
