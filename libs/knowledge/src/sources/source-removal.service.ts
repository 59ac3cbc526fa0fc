import type { Transaction } from '@app/platform/database';
import { Injectable } from '@nestjs/common';
import { ConnectionTokens } from '@app/connections';
import { DocumentIndexService } from '../documents/document-index.service.js';
import { KnowledgeSyncRepository } from '../syncs/knowledge-sync.repository.js';
import type { SourcePlace } from './store/knowledge-source.repository.js';
import { UploadRepository } from './store/upload.repository.js';

/** What goes with a source: its documents, its uploads, its tokens, and the sync that may be under way. */
@Injectable()
export class SourceRemoval {
  constructor(
    private readonly index: DocumentIndexService,
    private readonly syncs: KnowledgeSyncRepository,
    private readonly uploads: UploadRepository,
    private readonly tokens: ConnectionTokens,
  ) {}

  /** In the transaction that deletes the source: with its commit nothing of it is found. */
  async remove(place: SourcePlace, transaction: Transaction): Promise<void> {
    await this.syncs.cancelOpen(place.workspaceId, place.id, transaction);
    await this.index.removeSource({ ...place, sourceId: place.id }, transaction);
    await this.uploads.removeAll(place.workspaceId, place.id, transaction);
    await this.tokens.remove(place.workspaceId, [place.id], transaction);
  }
}
