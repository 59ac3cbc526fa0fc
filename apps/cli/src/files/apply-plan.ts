export interface WantedAgent {
  agent: string;
  text: string;
}

export interface PresentAgent {
  agent: string;
  id: string;
  latestVersion: number;
  /** Hash of the bytes of the latest version. */
  latestHash: string;
  /** The project that created the latest version. */
  latestProject: string | null;
  /** The project that the agent belongs to. */
  project: string | null;
  isArchived: boolean;
}

export interface AppliedVersion {
  id: string;
  version: number;
  hash: string;
}

export type PlannedAction =
  | { action: 'create'; agent: string }
  | { action: 'update' | 'unchanged' | 'conflict'; agent: string; id: string; version: number }
  | { action: 'archive'; agent: string; id: string };

export interface PlanInput {
  project: string;
  wanted: readonly WantedAgent[];
  present: readonly PresentAgent[];
  applied: Readonly<Record<string, AppliedVersion>>;
  overwrite: boolean;
  prune: boolean;
}

/**
 * Returns one action for each file. With `prune`, also returns an `archive` action for each agent of this project that
 * has no file. Pure function.
 */
export function planApply(input: PlanInput, hashOf: (text: string) => string): PlannedAction[] {
  const { project, wanted, present, prune } = input;
  const living = present.filter(({ isArchived }) => !isArchived);
  const byName = new Map(living.map((each) => [each.agent, each]));
  const planned = wanted.map((each) => plannedFile(each, byName.get(each.agent), input, hashOf(each.text)));
  if (!prune) return planned;
  const kept = new Set(wanted.map(({ agent }) => agent));
  const archived = living
    .filter((each) => each.project === project && !kept.has(each.agent))
    .map(({ agent, id }): PlannedAction => ({ action: 'archive', agent, id }));
  return [...planned, ...archived];
}

function plannedFile(
  { agent }: WantedAgent,
  present: PresentAgent | undefined,
  { project, applied, overwrite }: PlanInput,
  hash: string,
): PlannedAction {
  if (!present) return { action: 'create', agent };
  const { id, latestVersion: version, latestHash } = present;
  if (latestHash === hash) return { action: 'unchanged', agent, id, version };
  const isOurs = isOfProject(present, project, Object.hasOwn(applied, agent) ? applied[agent] : undefined);
  return { action: isOurs || overwrite ? 'update' : 'conflict', agent, id, version };
}

/**
 * Whether the latest version of the agent may be replaced. `applied` is the version that was last applied from this
 * folder.
 * - If `applied` is undefined or has the id of another agent, this project must have created the latest version.
 * - Otherwise, the latest version must be the version in `applied`. It may also be the next version if it has the hash
 *   in `applied`. An update stores the hash of the new text before it sends this text, and the new version number after
 *   the response. If the process is killed between these steps, `applied` still has the previous version number.
 */
function isOfProject(present: PresentAgent, project: string, applied: AppliedVersion | undefined): boolean {
  if (applied?.id !== present.id) return present.latestProject === project;
  if (applied.version === present.latestVersion) return true;
  return applied.version + 1 === present.latestVersion && applied.hash === present.latestHash;
}
