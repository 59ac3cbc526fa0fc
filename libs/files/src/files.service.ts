import { Clock, DomainError, notFound, type Page, type PageRequest, toPage } from '@app/kernel';
import { Transactions } from '@app/platform/database';
import { agentsOf, AuditLogService, type Principal } from '@app/workspace';
import { Inject, Injectable } from '@nestjs/common';
import { FileContentsService } from './content/file-contents.service.js';
import { type FilesConfig, filesConfig } from './files.config.js';
import { DocumentFileStore } from './records/document-file.store.js';
import { FileReferenceStore } from './records/file-reference.store.js';
import type { FileFilter } from './records/file-status.js';
import { type FileEntity, NEVER } from './records/file.entity.js';
import { FileRepository, type FileUsage } from './records/file.repository.js';
import type { ByteRange } from './storage/file-storage.js';

const DAY_MILLIS = 86_400_000;

export interface WorkspaceFiles extends FileUsage {
  limitBytes: number | null;
  /** Bytes of documents of knowledge bases, which the quota does not count. */
  documentBytes: number;
}

@Injectable()
export class FilesService {
  constructor(
    private readonly table: FileRepository,
    private readonly contents: FileContentsService,
    private readonly references: FileReferenceStore,
    private readonly documents: DocumentFileStore,
    private readonly transactions: Transactions,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
    @Inject(filesConfig.KEY) private readonly config: FilesConfig,
  ) {}

  async list(caller: Principal, filter: FileFilter, page: PageRequest): Promise<Page<FileEntity>> {
    const { workspaceId, email: createdBy } = caller;
    const agents = agentsOf(caller);
    const visible = agents === null ? filter : { ...filter, visible: { createdBy, agents } };
    const files = await this.table.page(workspaceId, visible, this.config.retentionDays, page);
    return toPage(
      files.map((file) => this.asOfNow(file)),
      page.limit,
    );
  }

  async get(caller: Principal, id: string): Promise<FileEntity> {
    const file = await this.table.find(caller.workspaceId, id);
    if (!file || !(await this.sees(caller, file))) throw notFound('file', id);
    return this.asOfNow(file);
  }

  /** A key that is narrowed to agents sees the files of its member, and of the runs of its agents. */
  private async sees(caller: Principal, { id, createdBy }: FileEntity): Promise<boolean> {
    const agents = agentsOf(caller);
    if (agents === null || createdBy === caller.email) return true;
    const references = await this.references.ofFiles(caller.workspaceId, [id]);
    return references.some(({ agentId }) => agents.includes(agentId));
  }

  /** @throws DomainError `not_found`, `file_deleted` */
  async getReady(caller: Principal, id: string): Promise<FileEntity> {
    const file = await this.get(caller, id);
    assertReady(file);
    return file;
  }

  /** Only for callers that have proven that they may read it. */
  async findReady(workspaceId: string, id: string): Promise<FileEntity | undefined> {
    const file = await this.table.find(workspaceId, id);
    return file && this.asOfNow(file).status === 'ready' ? file : undefined;
  }

  open(file: FileEntity, range: ByteRange): Promise<AsyncIterable<Buffer>> {
    return this.contents.open(file, range);
  }

  async readWhole(file: FileEntity, maxBytes: number): Promise<Buffer> {
    return this.contents.readWhole(file, maxBytes);
  }

  /**
   * Deleting it again changes nothing.
   * @throws DomainError `not_found`, `file_in_use`
   */
  async delete(actor: Principal, id: string): Promise<void> {
    const { workspaceId } = actor;
    const { filename, bytes } = await this.get(actor, id);
    const isDeleted = await this.transactions.run(async (transaction) => {
      if (!(await this.table.markDeleted(workspaceId, id, transaction))) {
        const user = await this.table.userOf(workspaceId, id, transaction);
        if (user) throw inUse(id, user);
        return false;
      }
      const detail = { filename, bytes };
      await this.audit.record(actor, { action: 'file.delete', target: id, detail }, transaction);
      return true;
    });
    if (isDeleted) await this.contents.remove([id]);
  }

  async usage(workspaceId: string): Promise<WorkspaceFiles> {
    const { workspaceFileBytes: limit } = this.config;
    const [usage, documentBytes] = [await this.table.usage(workspaceId), await this.documents.bytes(workspaceId)];
    return { ...usage, documentBytes, limitBytes: limit === 0 ? null : limit };
  }

  /**
   * A file whose time is over counts as deleted, even before the sweep has found it. While a run that has not ended
   * refers to the file, it has no such time.
   */
  asOfNow(file: FileEntity): FileEntity {
    const expiresAt = this.expiryOf(file);
    if (expiresAt !== null && expiresAt <= this.clock.now()) file.status = 'deleted';
    return Object.assign(file, { expiresAt });
  }

  private expiryOf({ expiresAt, usedUntil }: FileEntity): Date | null {
    if (expiresAt?.getTime() === NEVER.getTime()) return null;
    if (usedUntil === null) return expiresAt;
    const { retentionDays } = this.config;
    if (!(usedUntil instanceof Date) || retentionDays === 0) return null;
    return new Date(Math.max(expiresAt?.getTime() ?? 0, usedUntil.getTime() + retentionDays * DAY_MILLIS));
  }
}

/** @throws DomainError `file_deleted` */
export function assertReady({ id, status }: FileEntity): void {
  if (status === 'ready') return;
  throw new DomainError('file_deleted', `The file ${id} was deleted or has expired.`);
}

function inUse(id: string, user: 'run' | 'fixture'): DomainError {
  const detail =
    user === 'fixture'
      ? `The file ${id} is a fixture. Delete the fixture instead.`
      : `A run that has not ended refers to the file ${id}. Delete it when the run has ended, or cancel the run.`;
  return new DomainError('file_in_use', detail);
}
