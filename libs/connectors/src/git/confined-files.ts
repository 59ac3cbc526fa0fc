import fs from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import type { PromiseFsClient } from 'isomorphic-git';
import { GitReadError } from './git-read-error.js';

type Operation = (path: string, ...rest: never[]) => Promise<unknown>;

/**
 * Creates a file system client that is limited to one folder and creates no links. It is needed because a git server
 * chooses the names of references, and these names become paths.
 */
export function confinedFiles(folder: string): PromiseFsClient {
  const root = resolve(folder);
  const inside = (operation: unknown) =>
    (async (path: string, ...rest: never[]): Promise<unknown> => {
      const whole = resolve(path);
      if (whole !== root && !whole.startsWith(root + sep))
        throw new GitReadError(
          'protocol',
          'The git server sent a file path that leads outside the folder of the repository.',
        );
      return (operation as Operation)(whole, ...rest);
    }) as Operation;
  const refuse = async (): Promise<never> => {
    throw new GitReadError(
      'protocol',
      'The git server sent data that would create a link in the folder of the repository.',
    );
  };
  return {
    promises: {
      readFile: inside(fs.readFile),
      writeFile: inside(fs.writeFile),
      unlink: inside(fs.unlink),
      readdir: inside(fs.readdir),
      mkdir: inside(fs.mkdir),
      rmdir: inside(fs.rmdir),
      stat: inside(fs.stat),
      lstat: inside(fs.lstat),
      rm: inside(fs.rm),
      readlink: refuse,
      symlink: refuse,
    } as PromiseFsClient['promises'],
  };
}
