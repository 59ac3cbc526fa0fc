import { agentsOf, type Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { FilesService } from './files.service.js';
import type { RunFileReference } from './records/file-reference.js';
import { FileReferenceStore } from './records/file-reference.store.js';
import type { FileEntity } from './records/file.entity.js';
import { FileRepository } from './records/file.repository.js';

/** What a caller may know about a file, and where runs refer to it. */
export interface FileRights {
  /** The references of runs that exist for the caller, newest run first. */
  references: readonly RunFileReference[];
  /** A run redacts the place of the file, so only somebody who may reveal runs sees its name, its hash and its content. */
  isRedacted: boolean;
  /** Whether the caller may read the content, apart from redaction. */
  mayRead: boolean;
}

/** Decides what members and keys may do with files, by the runs that refer to them. */
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

  /** Returns the rights of the caller on each of the files, by id. */
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
   * it may read. All other ids are absent.
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
