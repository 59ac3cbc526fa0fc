import type { Agent } from '../data/api.js';

/** Returns what the buttons and the dialog call the release of a version. */
export function releaseName(
  { production_version: production }: Pick<Agent, 'production_version'>,
  version: number,
): string {
  return `${version < production ? 'Roll back to' : 'Promote'} version ${version}`;
}
