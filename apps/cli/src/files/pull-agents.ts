import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Agent, AgentAutomation } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { CommandError, usageError } from '../errors/command-error.js';
import { EXIT } from '../errors/exit-codes.js';
import { AppliedVersions } from './applied-versions.js';
import { type DefinitionFile, hashOf, readDefinitionFiles } from './definition-files.js';
import type { Project } from './project-file.js';
import { textDiff } from './version-difference.js';

export interface PullOptions {
  all?: boolean;
  overwrite?: boolean;
}

interface PulledAgent {
  agent: string;
  version: number;
  action: 'created' | 'updated' | 'unchanged';
  file: string;
}

interface Latest {
  agent: Agent;
  text: string;
  /** Absolute path of the agent's file. */
  path: string;
  /** Current content of the file. Undefined if the file does not exist. */
  before: string | undefined;
}

/** Writes the latest version of each agent into its file, unchanged. A file with local changes is a conflict. */
export async function pullAgents(
  cli: Cli,
  project: Project,
  names: readonly string[],
  { all = false, overwrite = false }: PullOptions,
): Promise<PulledAgent[]> {
  const aas = await cli.client();
  const applied = await AppliedVersions.open(project, (await aas.me.get()).workspace.id);
  const files = await readDefinitionFiles([project.folder]).catch(() => []);
  const latest: Latest[] = [];
  for (const agent of await wantedAgents(aas, project, names, all))
    latest.push(await latestOf(aas, project, agent, files));
  const isChanged = ({ agent, text, before }: Latest): boolean =>
    before !== undefined && before !== text && applied.all()[agent.name]?.hash !== hashOf(before);
  const conflicts = overwrite ? [] : latest.filter(isChanged);
  for (const { agent, text, before = '' } of conflicts)
    cli.output.report(textDiff(agent.name, text, before, agent.latest_version).trimEnd());
  if (conflicts.length > 0) throw conflictError(conflicts.map(({ path }) => relative('.', path)));
  const pulled: PulledAgent[] = [];
  for (const each of latest) pulled.push(await write(each, applied));
  return pulled;
}

async function wantedAgents(
  aas: AgentAutomation,
  project: Project,
  names: readonly string[],
  all: boolean,
): Promise<Agent[]> {
  if (names.length > 0) return Promise.all(names.map((name) => aas.agents.get(name)));
  const agents: Agent[] = [];
  for await (const agent of aas.agents.list(all ? {} : { project: project.name }))
    if (agent.status !== 'archived') agents.push(agent);
  return agents;
}

async function latestOf(
  aas: AgentAutomation,
  project: Project,
  agent: Agent,
  files: readonly DefinitionFile[],
): Promise<Latest> {
  const text = await aas.versions.definition(agent.id, agent.latest_version);
  const path = files.find((each) => each.agent === agent.name)?.file ?? newPath(project, agent.name);
  return { agent, text, path, before: await readFile(path, 'utf8').catch(() => undefined) };
}

function newPath(project: Project, name: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._-]*$/u.test(name)) return join(project.folder, 'agents', `${name}.yaml`);
  throw usageError(
    'The name of the agent cannot be used as a file name.',
    name,
    'Create a file with this `name` first.',
  );
}

async function write({ agent, text, path, before }: Latest, applied: AppliedVersions): Promise<PulledAgent> {
  if (before !== text) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  await applied.record(agent.name, { id: agent.id, version: agent.latest_version, hash: hashOf(text) });
  const action = before === undefined ? 'created' : before === text ? 'unchanged' : 'updated';
  return { agent: agent.name, version: agent.latest_version, action, file: relative('.', path) };
}

function conflictError(files: readonly string[]): CommandError {
  return new CommandError('Files have local changes that would be lost.', {
    exitCode: EXIT.conflict,
    where: files.join(', '),
    remedy: 'Apply them with `aas apply`, or replace them with `aas pull --overwrite`.',
  });
}
