import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AppliedVersion } from './apply-plan.js';
import type { Project } from './project-file.js';

/** The versions that were last applied from this folder. They are stored in `.aas/` beside `aas.yaml`. */
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

  /** Replaces the file atomically. After a crash, it has either the old or the new content. */
  async record(agent: string, version: AppliedVersion): Promise<void> {
    this.versions[agent] = version;
    await mkdir(this.folder, { recursive: true });
    // git must ignore the folder, because its content describes only this checkout.
    await writeFile(join(this.folder, '.gitignore'), '*\n');
    const temporary = `${this.path}.${process.pid}`;
    await writeFile(temporary, `${JSON.stringify(this.versions, null, 2)}\n`);
    await rename(temporary, this.path);
  }
}

/**
 * Parses the file. If the file is not valid JSON, no version counts as applied from this folder. `aas apply` then
 * replaces the latest version of an agent only if this project created that version.
 */
function versionsIn(text: string): Record<string, AppliedVersion> {
  try {
    return { ...(JSON.parse(text) as Record<string, AppliedVersion>) };
  } catch {
    return {};
  }
}
