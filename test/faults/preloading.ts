import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Returns the environment of a program that loads these files of the folder `preload` before its own modules. */
export function preloading(
  files: string | readonly string[],
  env: Readonly<Record<string, string>>,
): Record<string, string> {
  const options = [files].flat().map((file) => {
    const { href } = pathToFileURL(join(import.meta.dirname, 'preload', file));
    return `--import ${href}`;
  });
  return { ...env, NODE_OPTIONS: options.join(' ') };
}
