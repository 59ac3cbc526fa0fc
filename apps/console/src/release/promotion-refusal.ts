import type { Agent, AgentVersion } from '../data/api.js';

/**
 * Returns why the promotion gate blocks the version, or null if the console finds no reason. The API may still reject
 * the promotion.
 */
export function promotionRefusal(version: AgentVersion, wasInProduction: boolean): string | null {
  if (!hasGate(version) || wasInProduction) return null;
  switch (version.evaluation?.status) {
    case undefined:
      return `The gate needs an evaluation of version ${version.version}. Choose Evaluate and promote.`;
    case 'queued':
    case 'running':
      return 'The evaluation has not finished. You can promote the version when the evaluation has passed.';
    case 'failed':
      return 'The evaluation did not pass the gate. Open it to see the cases that failed.';
    case 'inconclusive':
    case 'errored':
      return 'The evaluation has no conclusive result. Open it to see the reasons.';
    default:
      // An evaluation that passed may have expired. Only the API checks this.
      return null;
  }
}

export function hasGate({ definition }: AgentVersion): boolean {
  return (definition as { evaluation?: { gate?: unknown } }).evaluation?.gate !== undefined;
}

/** Returns the versions that have been in production. Version 1 is in production from the start, without a promotion. */
export function formerProduction(promotions: readonly { version: number }[] = []): ReadonlySet<number> {
  return new Set([1, ...promotions.map(({ version }) => version)]);
}

/** Returns what the buttons and the dialog call the release of a version. */
export function releaseName(agent: Pick<Agent, 'production_version'>, version: number): string {
  return `${version < agent.production_version ? 'Roll back to' : 'Promote'} version ${version}`;
}
