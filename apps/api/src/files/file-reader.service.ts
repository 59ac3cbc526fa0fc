import { Injectable } from '@nestjs/common';
import {
  assertReady,
  type FileEntity,
  type FileRights,
  FileRightsService,
  FilesService,
  type RunFileReference,
} from '@app/files';
import { Clock, DomainError, type Page, type PageRequest } from '@app/kernel';
import { Transactions } from '@app/platform/database';
import { ApprovalQueriesService, RunQueriesService } from '@app/runs';
import { assertRecentSignIn, AuditLogService, type Principal } from '@app/workspace';
import { requireScope } from '../http/access.js';
import { fileFilter, type FileResource, type ListFilesQuery, presentFile, type RunFileResource } from './files.api.js';

/** Reads files, and hides what runs redact, unless the caller asks for it (`reveal`) and may see it. */
@Injectable()
export class FileReaderService {
  constructor(
    private readonly files: FilesService,
    private readonly rights: FileRightsService,
    private readonly approvals: ApprovalQueriesService,
    private readonly runs: RunQueriesService,
    private readonly transactions: Transactions,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `not_found`; with `reveal`, also `insufficient_scope` and the errors of the recent sign-in */
  async row(caller: Principal, id: string, reveal: boolean): Promise<FileResource> {
    const file = await this.files.get(caller, id);
    const rights = await this.rights.of(caller, file);
    if (reveal && rights.isRedacted) await this.revealed(caller, file);
    return presentFile(file, { caller, rights, reveal });
  }

  async list(caller: Principal, query: ListFilesQuery, page: PageRequest): Promise<Page<FileResource>> {
    const { data: files, ...rest } = await this.files.list(caller, fileFilter(query), page);
    const rights = await this.rights.ofAll(caller, files);
    const data = files.map((file) => presentFile(file, { caller, rights: rights.get(file.id), reveal: false }));
    return { ...rest, data };
  }

  /**
   * Returns a file whose content the caller may read.
   * @throws DomainError `not_found`, `insufficient_scope`, `file_deleted`, in this order
   */
  async readable(caller: Principal, id: string, reveal: boolean): Promise<FileEntity> {
    const file = await this.files.get(caller, id);
    const rights = await this.rights.of(caller, file);
    if (!rights.mayRead && !(await this.isShownByApproval(caller, id, rights))) requireScope(caller, 'runs:read');
    if (rights.isRedacted) {
      if (!reveal) throw hidden();
      await this.revealed(caller, file);
    }
    assertReady(file);
    return file;
  }

  /**
   * Lists the places at which the run refers to files, and adds the ids of redacted ones that it shows to `revealed`. It
   * writes nothing, because lists are read in a snapshot: record the reveals before you send the list.
   * @throws DomainError `not_found`; with `reveal`, also `insufficient_scope` and the errors of the recent sign-in
   */
  async ofRun(
    caller: Principal,
    runId: string,
    { reveal, revealed }: { reveal: boolean; revealed: Set<string> },
    page: PageRequest,
  ): Promise<Page<RunFileResource>> {
    const { id, workspaceId } = await this.runs.get(caller.workspaceId, runId);
    const { data: references, ...rest } = pageOf(await this.rights.ofRun(workspaceId, id), page);
    const files = await this.rights.filesOf(workspaceId, references);
    const rights = await this.rights.ofAll(caller, [...files.values()]);
    if (reveal) {
      const redacted = [...files.keys()].filter((fileId) => rights.get(fileId)?.isRedacted);
      if (redacted.length > 0) this.assertMayReveal(caller);
      for (const fileId of redacted) revealed.add(fileId);
    }
    const data = references.flatMap(({ file: fileId, step, place }) => {
      const file = files.get(fileId);
      return file
        ? [{ file: presentFile(file, { caller, rights: rights.get(fileId), reveal }), step, path: place }]
        : [];
    });
    return { ...rest, data };
  }

  private isShownByApproval(caller: Principal, id: string, { references }: FileRights): Promise<boolean> {
    const runIds = [...new Set(references.map(({ runId }) => runId))];
    return this.approvals.showsFile(caller, runIds, id);
  }

  /** Records that the caller sees these redacted files. */
  async recordReveals(caller: Principal, ids: Iterable<string>): Promise<void> {
    for (const target of ids) {
      await this.transactions.run((transaction) =>
        this.audit.record(caller, { action: 'file.reveal', target, detail: {} }, transaction),
      );
    }
  }

  private async revealed(caller: Principal, { id }: FileEntity): Promise<void> {
    this.assertMayReveal(caller);
    await this.recordReveals(caller, [id]);
  }

  private assertMayReveal(caller: Principal): void {
    if (!caller.scopes.has('runs:reveal')) throw hidden();
    assertRecentSignIn(caller, this.clock.now());
  }
}

/** Returns a page of the places, in the order of {@link keyOf}. A run has few places, so they are read together. */
function pageOf(all: readonly RunFileReference[], { limit, order, after }: PageRequest): Page<RunFileReference> {
  const sorted = [...all].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  if (order === 'desc') sorted.reverse();
  const rest =
    after === undefined
      ? sorted
      : sorted.filter((each) => (order === 'desc' ? keyOf(each) < after : keyOf(each) > after));
  const data = rest.slice(0, limit);
  const last = data.at(-1);
  return rest.length > limit && last ? { data, last: keyOf(last) } : { data };
}

const keyOf = ({ place, file }: RunFileReference): string => `${place} ${file}`;

function hidden(): DomainError {
  const detail = 'A run redacts this file. Its content needs the scope runs:reveal and `reveal=true`.';
  return new DomainError('insufficient_scope', detail, { extensions: { required_scope: 'runs:reveal' } });
}
