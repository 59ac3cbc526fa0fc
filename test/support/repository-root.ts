import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ABOVE = join(import.meta.dirname, '..', '..');

/**
 * Root folder of the repository. Benchmarks run this file from a bundle, which gives it a path in `dist`, one level
 * deeper.
 */
export const REPOSITORY_ROOT = existsSync(join(ABOVE, 'package.json')) ? ABOVE : join(ABOVE, '..');
