import type { FileRun, RunFilesService } from '@app/files';
import { fileValuesIn, type JsonValue } from '@app/kernel';
import type { RunFileFacts, RunFileIndex } from '../interpreter/run-file-facts.js';

/**
 * The files that one attempt of a run knows. Ids that it sees in the input, in outcomes and in records are looked up
 * before the plan continues. A run without such ids makes no query.
 */
export class RunFiles implements RunFileIndex {
  private readonly known = new Map<string, RunFileFacts>();
  private readonly unsettled = new Set<string>();

  constructor(
    private readonly service: Pick<RunFilesService, 'usable'>,
    private readonly workspaceId: string,
    private readonly run: FileRun,
  ) {}

  get(id: string): RunFileFacts | undefined {
    return this.known.get(id);
  }

  see(value: JsonValue): void {
    for (const { id } of fileValuesIn(value)) if (!this.known.has(id)) this.unsettled.add(id);
  }

  /** Looks up the ids that {@link see} has found. The run may not use an id that is not found. */
  async lookUp(): Promise<void> {
    if (this.unsettled.size === 0) return;
    const ids = [...this.unsettled];
    const found = await this.service.usable(this.workspaceId, this.run, ids);
    this.unsettled.clear();
    for (const [id, { filename, contentType, bytes, sha256 }] of found) {
      this.known.set(id, { filename, contentType, bytes, sha256 });
    }
  }
}
