import { join } from 'node:path';
import { SKILL, skillFiles } from './guides/build/skill-files.ts';

const ROOT = join(import.meta.dirname, '..');
const MODULE = 'virtual:skill';
const RESOLVED = `\0${MODULE}`;

/** A Vite plugin with the module `virtual:skill`: the name of the skill for coding assistants, and its files. */
export function skillModule() {
  return {
    name: 'skill-module',
    resolveId: (id) => (id === MODULE ? RESOLVED : undefined),
    load: (id) =>
      id === RESOLVED
        ? `export const name = ${JSON.stringify(SKILL)};\nexport const files = ${JSON.stringify(skillFiles(ROOT))};`
        : undefined,
  };
}
