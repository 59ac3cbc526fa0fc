import { DomainError } from '@app/kernel';
import { agentsOf, type Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { FilesService } from './files.service.js';
import type { RunFileReference } from './records/file-reference.js';
import { FileReferenceStore } from './records/file-reference.store.js';
import type { FileEntity } from './records/file.entity.js';
import { FileRepository } from './records/file.repository.js';

export interface FileRights {
  references: readonly RunFileReference[];
  /** A run redacts the place of the file, so only somebody who may reveal runs sees its name, its hash and its content. */
  isRedacted: boolean;
  /** Whether the caller may read the content, apart from redaction. */
  mayRead: boolean;
}

@Injectable()
export class FileRightsService {
  constructor(
    private readonly files: FilesService,
    private readonly table: FileRepository,
    private readonly references: FileReferenceStore,
  ) {}

  async of(caller: Principal, file: FileEntity): Promise<FileRights> {
    return rightsOf(caller, file, await this.references.ofFiles(caller.workspaceId, [file.id]));
  }

  ofRun(workspaceId: string, runId: string): Promise<RunFileReference[]> {
    return this.references.ofRun(workspaceId, runId);
  }

  /** An evaluation refers to files like a run. */
  async readyOf(workspaceId: string, runId: string): Promise<ReadonlyMap<string, FileEntity>> {
    const files = await this.filesOf(workspaceId, await this.ofRun(workspaceId, runId));
    return new Map([...files].filter(([, { status }]) => status === 'ready'));
  }

  async filesOf(
    workspaceId: string,
    references: readonly RunFileReference[],
  ): Promise<ReadonlyMap<string, FileEntity>> {
    const ids = [...new Set(references.map(({ file }) => file))];
    const rows = ids.length === 0 ? [] : await this.table.findAll(workspaceId, ids);
    return new Map(rows.map((row) => [row.id, this.files.asOfNow(row)]));
  }

  async ofAll(caller: Principal, files: readonly FileEntity[]): Promise<ReadonlyMap<string, FileRights>> {
    if (files.length === 0) return new Map();
    const references = await this.references.ofFiles(
      caller.workspaceId,
      files.map(({ id }) => id),
    );
    return new Map(
      files.map((file) => [
        file.id,
        rightsOf(
          caller,
          file,
          references.filter((each) => each.file === file.id),
        ),
      ]),
    );
  }

  /**
   * Returns the files that the caller may give to a run, by id: those that its member uploaded, and those whose content
   * it may read.
   */
  async usableBy(caller: Principal, ids: readonly string[]): Promise<ReadonlyMap<string, FileEntity>> {
    if (ids.length === 0) return new Map();
    const rows = (await this.table.findAll(caller.workspaceId, [...new Set(ids)])).map((row) =>
      this.files.asOfNow(row),
    );
    const rights = await this.ofAll(caller, rows);
    const usable = rows.filter((row) => row.status === 'ready' && mayUse(caller, row, rights.get(row.id)));
    return new Map(usable.map((row) => [row.id, row]));
  }

  /**
   * Returns a file that the caller may use as a value: one that its member uploaded, or whose content it may read.
   * @throws DomainError `unknown_reference` with this pointer, for every other id
   */
  async getUsable(caller: Principal, id: string, pointer: string): Promise<FileEntity> {
    const file = (await this.usableBy(caller, [id])).get(id);
    if (file) return file;
    const detail = 'There is no file with this id that you may use. Upload the file, and send the id of the upload.';
    throw new DomainError('unknown_reference', detail, { errors: [{ pointer, detail }] });
  }
}

function mayUse(caller: Principal, { createdBy }: FileEntity, rights: FileRights | undefined): boolean {
  if (createdBy === caller.email) return true;
  return rights?.mayRead === true && (!rights.isRedacted || caller.scopes.has('runs:reveal'));
}

function rightsOf(caller: Principal, { createdBy }: FileEntity, all: readonly RunFileReference[]): FileRights {
  const agents = agentsOf(caller);
  const references = agents === null ? all : all.filter(({ agentId }) => agents.includes(agentId));
  const isOpen = all.length === 0 && (agents === null || createdBy === caller.email);
  const isOfRun = references.length > 0 && caller.scopes.has('runs:read');
  return {
    references,
    isRedacted: all.some(({ redacted }) => redacted),
    mayRead: caller.scopes.has('files:read') && (isOpen || isOfRun),
  };
}
