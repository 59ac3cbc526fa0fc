import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Returns the folder for programs that tests and benchmarks install from npm. It is outside the checkout, so that the
 * project never resolves or starts them by mistake.
 */
export function cacheFolder(name: string): string {
  return join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), name);
}
