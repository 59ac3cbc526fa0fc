import { type AgentAutomation, ApiError } from '../../../../packages/sdk/src/index.js';
import type { Cli } from '../session/cli.js';
import { CommandError } from '../errors/command-error.js';
import { EXIT } from '../errors/exit-codes.js';
import { AppliedVersions } from './applied-versions.js';
import { type PlannedAction, planApply, type PresentAgent } from './apply-plan.js';
import { byAgent, type DefinitionFile, hashOf, inOrderOfCalls, reportFindings } from './definition-files.js';
import type { Project } from './project-file.js';
import { compareFile, findAgent } from './version-difference.js';

export interface ApplyOptions {
  overwrite?: boolean;
  prune?: boolean;
}

export interface AppliedAgent {
  agent: string;
  file: string | null;
  action: 'created' | 'updated' | 'unchanged' | 'archived';
  version: number | null;
}

const DONE = { create: 'created', update: 'updated', unchanged: 'unchanged', archive: 'archived' } as const;

/** Applies the files of a project: shows the plan, rejects conflicts, then changes the agents one by one. */
export class AgentsApply {
  private constructor(
    private readonly cli: Cli,
    private readonly aas: AgentAutomation,
    private readonly project: Project,
    private readonly files: readonly DefinitionFile[],
    private readonly applied: AppliedVersions,
  ) {}

  static async of(cli: Cli, project: Project, files: readonly DefinitionFile[]): Promise<AgentsApply> {
    const aas = await cli.client();
    const applied = await AppliedVersions.open(project, (await aas.me.get()).workspace.id);
    return new AgentsApply(cli, aas, project, inOrderOfCalls(files), applied);
  }

  async plan({ overwrite = false, prune = false }: ApplyOptions): Promise<PlannedAction[]> {
    const wanted = [...byAgent(this.files)].map(([agent, { text }]) => ({ agent, text }));
    const present = await this.presentAgents(
      wanted.map(({ agent }) => agent),
      prune,
    );
    const input = { project: this.project.name, wanted, present, applied: this.applied.all(), overwrite, prune };
    const planned = planApply(input, hashOf);
    return Promise.all(planned.map((each) => this.withoutMereBytes(each)));
  }

  /**
   * Changes a conflict to `unchanged` if the file and the latest version contain the same definition in different
   * bytes. The service then creates no new version.
   */
  private async withoutMereBytes(planned: PlannedAction): Promise<PlannedAction> {
    if (planned.action !== 'conflict') return planned;
    const { action } = await compareFile(this.aas, this.fileOf(planned.agent));
    return action === 'unchanged' ? { ...planned, action } : planned;
  }

  /**
   * Prints the differences of all conflicts in the plan, and throws if there are any. A conflict is an agent whose
   * latest version may not be replaced, see apply-plan.ts.
   */
  async refuseConflicts(plan: readonly PlannedAction[]): Promise<void> {
    const conflicts = plan.filter(({ action }) => action === 'conflict');
    if (conflicts.length === 0) return;
    for (const { agent } of conflicts) await this.reportDifference(agent);
    throw conflictError(conflicts.map(({ agent }) => agent));
  }

  async perform(planned: PlannedAction): Promise<AppliedAgent> {
    const { action, agent } = planned;
    switch (action) {
      case 'create':
        return this.create(this.fileOf(agent));
      case 'update':
        return this.update(this.fileOf(agent), planned.id, planned.version);
      case 'archive':
        await this.aas.agents.archive(planned.id);
        return { agent, file: null, action: DONE[action], version: null };
      case 'unchanged':
      case 'conflict': {
        const { file, text } = this.fileOf(agent);
        const known = this.applied.all()[agent];
        if (known?.id !== planned.id || known.version !== planned.version)
          await this.applied.record(agent, { id: planned.id, version: planned.version, hash: hashOf(text) });
        return { agent, file, action: 'unchanged', version: planned.version };
      }
    }
  }

  private async create({ file, text, agent = '' }: DefinitionFile): Promise<AppliedAgent> {
    const created = await this.aas.agents.create(text, { project: this.project.name });
    await this.applied.record(agent, { id: created.id, version: created.latest_version, hash: hashOf(text) });
    reportFindings(this.cli.output, file, created);
    return { agent, file, action: 'created', version: created.latest_version };
  }

  private async update({ file, text, agent = '' }: DefinitionFile, id: string, latest: number): Promise<AppliedAgent> {
    const hash = hashOf(text);
    // The new version is recorded in the folder before it is sent. If the process is then killed, the version still
    // counts as applied from this folder.
    await this.applied.record(agent, { id, version: latest, hash });
    const options = { project: this.project.name, ifMatch: latest };
    const { version, warnings } = await this.aas.versions.create(id, text, options).catch(async (error: unknown) => {
      if (!(error instanceof ApiError && error.status === 412)) throw error;
      await this.reportDifference(agent);
      throw conflictError([agent]);
    });
    await this.applied.record(agent, { id, version, hash });
    reportFindings(this.cli.output, file, { warnings });
    return { agent, file, action: version === latest ? 'unchanged' : 'updated', version };
  }

  private async reportDifference(agent: string): Promise<void> {
    const { text_diff: text } = await compareFile(this.aas, this.fileOf(agent));
    if (text !== '') this.cli.output.report(text.trimEnd());
  }

  private fileOf(agent: string): DefinitionFile {
    const found = this.files.find((each) => each.agent === agent);
    if (!found) throw new TypeError(`No file defines ${agent}.`);
    return found;
  }

  private async presentAgents(names: readonly string[], withProject: boolean): Promise<PresentAgent[]> {
    const agents = new Map<string, PresentAgent>();
    for (const name of names) {
      const agent = await findAgent(this.aas, name);
      if (agent) agents.set(agent.id, await this.present(agent));
    }
    if (!withProject) return [...agents.values()];
    for await (const agent of this.aas.agents.list({ project: this.project.name })) {
      if (!agents.has(agent.id)) agents.set(agent.id, await this.present(agent));
    }
    return [...agents.values()];
  }

  private async present(agent: NonNullable<Awaited<ReturnType<typeof findAgent>>>): Promise<PresentAgent> {
    const { id, latest_version: latestVersion } = agent;
    const [{ project }, text] = await Promise.all([
      this.aas.versions.get(id, latestVersion),
      this.aas.versions.definition(id, latestVersion),
    ]);
    return {
      agent: agent.name,
      id,
      latestVersion,
      latestHash: hashOf(text),
      latestProject: project,
      project: agent.project,
      isArchived: agent.status === 'archived',
    };
  }
}

function conflictError(agents: readonly string[]): CommandError {
  return new CommandError(`The latest version of ${agents.join(', ')} was not applied from this folder.`, {
    exitCode: EXIT.conflict,
    where: agents.map((agent) => `agent ${agent}`).join(', '),
    remedy: 'Write it into your file with `aas pull --overwrite`, or replace it with `aas apply --overwrite`.',
  });
}
