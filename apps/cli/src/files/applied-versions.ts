import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppliedVersion } from './apply-plan.js';
import type { Project } from './project-file.js';

/** The versions that were last applied from a folder to a workspace, in `.aas/` beside `aas.yaml`. */
export class AppliedVersions {
  private constructor(
    private readonly folder: string,
    private readonly path: string,
    private readonly versions: Record<string, AppliedVersion>,
  ) {}

  static async open(project: Project, workspace: string): Promise<AppliedVersions> {
    const folder = join(project.folder, '.aas');
    const path = join(folder, `${workspace}.json`);
    return new AppliedVersions(folder, path, versionsIn(await readFile(path, 'utf8').catch(() => '')));
  }

  all(): Readonly<Record<string, AppliedVersion>> {
    return this.versions;
  }

  /** Replaces the file as a whole, so that a kill leaves the old one or the new one. */
  async record(agent: string, version: AppliedVersion): Promise<void> {
    this.versions[agent] = version;
    await mkdir(this.folder, { recursive: true });
    // The folder is of this copy of the repository only.
    await writeFile(join(this.folder, '.gitignore'), '*\n');
    const temporary = `${this.path}.${process.pid}`;
    await writeFile(temporary, `${JSON.stringify(this.versions, null, 2)}\n`);
    await rename(temporary, this.path);
  }
}

/** A file that cannot be read is as none: then versions of the same project count. */
function versionsIn(text: string): Record<string, AppliedVersion> {
  try {
    return { ...(JSON.parse(text) as Record<string, AppliedVersion>) };
  } catch {
    return {};
  }
}
