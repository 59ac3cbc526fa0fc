import { Clock, notFound } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';
import { Transactions } from '@app/platform/database';
import { AuditLogService, newToken, type Principal } from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { FilesService } from './files.service.js';
import type { FileEntity } from './records/file.entity.js';
import { FileLinkStore } from './records/file-link.store.js';

export interface NewFileLink {
  token: string;
  expiresAt: Date;
}

export interface LinkedFile {
  file: FileEntity;
  isOnce: boolean;
}

@Injectable()
export class FileLinksService {
  constructor(
    private readonly files: FilesService,
    private readonly links: FileLinkStore,
    private readonly transactions: Transactions,
    private readonly audit: AuditLogService,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `not_found`, `file_deleted` */
  async create(
    actor: Principal,
    fileId: string,
    { lifetimeMillis, isOnce }: { lifetimeMillis: number; isOnce: boolean },
  ): Promise<NewFileLink> {
    const { workspaceId } = actor;
    await this.files.getReady(actor, fileId);
    const { token, hash } = newToken();
    const expiresAt = new Date(this.clock.now().getTime() + lifetimeMillis);
    await this.transactions.run(async (transaction) => {
      await this.links.insert(hash, { workspaceId, fileId, isOnce }, expiresAt, transaction);
      const detail = { expires_at: expiresAt.toISOString(), once: isOnce };
      await this.audit.record(actor, { action: 'file.link', target: fileId, detail }, transaction);
    });
    return { token, expiresAt };
  }

  /** The caller has proven that it may use the file. */
  async ensure(workspaceId: string, fileId: string, token: string, expiresAt: Date): Promise<void> {
    await this.links.insertOrExtend(sha256(token), { workspaceId, fileId }, expiresAt);
  }

  /** @throws DomainError `not_found` */
  async revoke(actor: Principal, fileId: string): Promise<void> {
    await this.files.get(actor, fileId);
    await this.transactions.run(async (transaction) => {
      const links = await this.links.revoke(actor.workspaceId, fileId, transaction);
      if (links === 0) return;
      await this.audit.record(actor, { action: 'file.links_revoke', target: fileId, detail: { links } }, transaction);
    });
  }

  /**
   * A download spends a link that may be used once, before its first byte.
   * @throws DomainError `not_found` for every link that opens no file: unknown, expired, revoked, spent, or of a
   * deleted file
   */
  async open(token: string, isDownload: boolean): Promise<LinkedFile> {
    const hash = sha256(token);
    const link = await this.links.find(hash);
    const file = link && (await this.files.findReady(link.workspaceId, link.fileId));
    if (!link || !file) throw notFound('link', '…');
    if (link.isOnce && isDownload && !(await this.links.spend(hash))) throw notFound('link', '…');
    return { file, isOnce: link.isOnce };
  }
}
