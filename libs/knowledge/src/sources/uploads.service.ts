import { DocumentFilesService } from '@app/files';
import { canonicalJson, DomainError, notFound } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';
import { Transactions } from '@app/platform/database';
import {
  AuditLogService,
  type IdempotencyClaim,
  IdempotencyStore,
  type OnceOnly,
  type Principal,
} from '@app/workspace';
import { Injectable } from '@nestjs/common';
import { DocumentIndexService } from '../documents/document-index.service.js';
import { mediaKind, READABLE_TYPES } from '@app/platform/extraction';
import type { KnowledgeSyncEntity } from '../syncs/knowledge-sync.entity.js';
import { SourceSyncsService } from '../syncs/source-syncs.service.js';
import type { KnowledgeSourceEntity } from './store/knowledge-source.entity.js';
import { KnowledgeSourceRepository, type SourcePlace } from './store/knowledge-source.repository.js';
import { UploadRepository } from '../uploads/upload.repository.js';

export interface PushedDocument {
  name: string;
  title?: string;
  contentType: string;
  /** Limits its own length. */
  content: AsyncIterable<Buffer>;
}

export type ClaimOfDocument = (position: number, fingerprint: Buffer) => IdempotencyClaim | undefined;

@Injectable()
export class UploadsService {
  constructor(
    private readonly transactions: Transactions,
    private readonly requests: IdempotencyStore,
    private readonly sources: KnowledgeSourceRepository,
    private readonly uploads: UploadRepository,
    private readonly syncs: SourceSyncsService,
    private readonly index: DocumentIndexService,
    private readonly audit: AuditLogService,
    private readonly files: DocumentFilesService,
  ) {}

  /**
   * If a document is rejected, the documents before it are kept, and the error lists their names. With idempotency
   * claims, a repeated request pushes only the documents that the first request did not push.
   * @throws DomainError as {@link push}, with the names of the stored documents in `kept`; `invalid_request` if there
   * is no document
   */
  async pushAll(
    actor: Principal,
    place: SourcePlace,
    documents: AsyncIterable<PushedDocument>,
    claimOf: ClaimOfDocument = () => undefined,
  ): Promise<OnceOnly<KnowledgeSyncEntity>> {
    const kept: string[] = [];
    let pushed: OnceOnly<KnowledgeSyncEntity> | undefined;
    try {
      for await (const document of documents) {
        const position = kept.length;
        const { result, replayed } = await this.push(actor, place, document, (of) => claimOf(position, of));
        pushed = { result, replayed: replayed && pushed?.replayed !== false };
        kept.push(document.name);
      }
    } catch (error) {
      if (!(error instanceof DomainError) || kept.length === 0) throw error;
      const extensions = { ...error.extensions, kept };
      const stored = `Number of documents before it that were stored: ${kept.length}.`;
      const detail = `${error.message} ${stored}`;
      throw new DomainError(error.code, detail, { cause: error, errors: error.errors, extensions });
    }
    return (
      pushed ?? Promise.reject(new DomainError('invalid_request', 'The form contains no file. Send at least one file.'))
    );
  }

  /**
   * A document that arrives during a sync is part of that sync or of the next sync. If the push fails or repeats an
   * earlier one, its bytes are dropped.
   * @throws DomainError `not_found`, `invalid_request` for a source of another connector, `unsupported_media_type`,
   * `file_refused`, `unavailable`, and the errors of the content and of {@link IdempotencyStore.runOnce}
   */
  async push(
    actor: Principal,
    place: SourcePlace,
    { name, title: givenTitle, contentType, content: source }: PushedDocument,
    claimOf: (fingerprint: Buffer) => IdempotencyClaim | undefined = () => undefined,
  ): Promise<OnceOnly<KnowledgeSyncEntity>> {
    if (mediaKind(contentType, name) === undefined) {
      const detail = `Documents of the type ${JSON.stringify(contentType)} are not supported. Supported types: ${READABLE_TYPES.join(', ')}.`;
      throw new DomainError('unsupported_media_type', detail);
    }
    const { workspaceId, id: sourceId } = place;
    const title = givenTitle ?? null;
    this.assertUpload(await this.sources.find(place), sourceId);
    const file = await this.files.write(workspaceId, { source, filename: name, contentType });
    const { id: fileId, bytes, sha256: hash } = file;
    const claim = claimOf(sha256(canonicalJson([name, title, contentType, hash])));
    let former: string | undefined;
    const once = this.requests.runOnce(workspaceId, claim, async (transaction) => {
      this.assertUpload(await this.sources.lock(place, transaction), sourceId);
      const uploadedBy = actor.email;
      const upload = { workspaceId, sourceId, key: name, title, contentType, size: bytes, hash, fileId, uploadedBy };
      former = await this.uploads.put(upload, transaction);
      await this.files.insert(workspaceId, file, uploadedBy, transaction);
      await this.files.delete(workspaceId, former === undefined ? [] : [former], transaction);
      const detail = { name, content_type: contentType, bytes, sha256: hash };
      await this.audit.record(actor, { action: 'document.push', target: sourceId, detail }, transaction);
      return (await this.syncs.beginAfter(place, uploadedBy, transaction)).id;
    });
    const { result: syncId, replayed } = await once.catch(async (error: unknown) => {
      await this.files.dropBytesAfter(error, [fileId]);
      throw error;
    });
    const unused = replayed ? fileId : former;
    if (unused !== undefined) await this.files.dropBytes([unused]);
    return { result: await this.syncs.get({ ...place, syncId }), replayed };
  }

  /**
   * After the commit, searches no longer find it.
   * @throws DomainError `not_found`, `invalid_request` for a source of another connector
   */
  async remove(actor: Principal, place: SourcePlace, name: string): Promise<void> {
    const fileId = await this.transactions.run(async (transaction) => {
      this.assertUpload(await this.sources.lock(place, transaction), place.id);
      const { workspaceId, knowledgeBaseId, id: sourceId } = place;
      const kept = await this.uploads.remove(workspaceId, sourceId, name, transaction);
      const wasIndexed = await this.index.removeOne({ workspaceId, knowledgeBaseId, sourceId }, name, transaction);
      if (!kept && !wasIndexed) throw notFound('document', name);
      await this.files.delete(workspaceId, kept?.fileId ? [kept.fileId] : [], transaction);
      await this.audit.record(actor, { action: 'document.delete', target: sourceId, detail: { name } }, transaction);
      return kept?.fileId;
    });
    if (fileId) await this.files.dropBytes([fileId]);
  }

  private assertUpload(source: KnowledgeSourceEntity | null, id: string): void {
    if (!source) throw notFound('source', id);
    if (source.connector === 'upload') return;
    const detail = `The source ${id} reads its documents with the connector ${source.connector}. Documents can be pushed and deleted only in a source with the connector upload.`;
    throw new DomainError('invalid_request', detail);
  }
}
