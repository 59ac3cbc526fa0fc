import { createTwoFilesPatch } from 'diff';
import { type AgentAutomation, ApiError } from '../../../../packages/sdk/src/index.js';
import { contentOf, type DefinitionFile } from './definition-files.js';

type Comparison = Awaited<ReturnType<AgentAutomation['versions']['diff']>>;
export type CapabilityChange = Comparison['capability_changes'][number];

export interface Difference {
  file: string;
  agent: string;
  action: 'create' | 'update' | 'unchanged';
  /** The latest version. Null for a new agent. */
  version: number | null;
  capability_changes: CapabilityChange[];
  patch: Comparison['patch'];
  /** Unified diff from the latest version to the file. */
  text_diff: string;
}

/**
 * Compares a file with the latest version of its agent. If only the bytes and not the definition differ, the file
 * counts as unchanged.
 */
export async function compareFile(aas: AgentAutomation, { file, text, agent }: DefinitionFile): Promise<Difference> {
  const name = agent ?? contentOf(text).agent ?? '';
  const latest = await latestOf(aas, name);
  if (!latest) {
    const text_diff = textDiff(name, '', text, undefined);
    return { file, agent: name, action: 'create', version: null, capability_changes: [], patch: [], text_diff };
  }
  const { id, version } = latest;
  const stored = await aas.versions.definition(id, version);
  if (stored === text) return unchanged(file, name, version);
  const { capability_changes, patch } = await aas.versions.diff(id, version, text);
  if (patch.length === 0) return unchanged(file, name, version);
  const text_diff = textDiff(name, stored, text, version);
  return { file, agent: name, action: 'update', version, capability_changes, patch, text_diff };
}

function unchanged(file: string, agent: string, version: number): Difference {
  return { file, agent, action: 'unchanged', version, capability_changes: [], patch: [], text_diff: '' };
}

async function latestOf(aas: AgentAutomation, name: string): Promise<{ id: string; version: number } | undefined> {
  const agent = await findAgent(aas, name);
  return agent && { id: agent.id, version: agent.latest_version };
}

/** Finds an agent by its name. Ignores archived agents. */
export async function findAgent(
  aas: AgentAutomation,
  name: string,
): Promise<Awaited<ReturnType<AgentAutomation['agents']['get']>> | undefined> {
  try {
    return await aas.agents.get(`name:${name}`);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

export function textDiff(agent: string, stored: string, text: string, version: number | undefined): string {
  const from = version === undefined ? '/dev/null' : `${agent}@${version}`;
  return createTwoFilesPatch(from, agent, stored, text).replace(/^=+\n/, '');
}
