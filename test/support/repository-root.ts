import { existsSync } from 'node:fs';
import { join } from 'node:path';

const ABOVE = join(import.meta.dirname, '..', '..');

/** The root of the checkout: these files run as TypeScript from it (jest) and compiled from its `dist` (bench). */
export const REPOSITORY_ROOT = existsSync(join(ABOVE, 'package.json')) ? ABOVE : join(ABOVE, '..');
