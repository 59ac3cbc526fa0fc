import type { ItemReading, Connector, ItemBatch, KnownDocument, SourceItem, SourceVisit } from '@app/connectors';
import { essenceOf } from '@app/platform/extraction';
import type { DocumentFile } from '@app/files';
import type { UploadBytesService } from './upload-bytes.service.js';
import type { ListedUpload, UploadRange, UploadRepository } from './upload.repository.js';

const BATCH = 400;

/** The sync reads the ranges in succession until no upload is left. */
interface UploadPlace extends UploadRange {
  visited: number;
}

export class UploadConnector implements Connector {
  /** Few items are read at the same time, because each may have the maximum size of an upload. */
  readonly parallelism = 4;
  readonly isAuthoritative = true;

  constructor(
    private readonly uploads: UploadRepository,
    private readonly bytes: UploadBytesService,
    private readonly place: { workspaceId: string; sourceId: string },
  ) {}

  async *enumerate(visit: SourceVisit): AsyncGenerator<ItemBatch> {
    const { workspaceId, sourceId } = this.place;
    const until = await this.uploads.readRangeEnd(workspaceId, sourceId);
    let place: UploadPlace = { from: null, until, after: '', visited: 0, ...visit.checkpoint };
    for (;;) {
      const uploads = await this.uploads.listUploads(workspaceId, sourceId, place, BATCH);
      const last = uploads.at(-1);
      if (!last) {
        const isEmpty = place.from !== null && place.after === '';
        if (isEmpty && (await this.uploads.countLeft(workspaceId, sourceId, place)) === 0) return;
        const next = await this.uploads.readRangeEnd(workspaceId, sourceId);
        place = { from: place.until, until: next, after: '', visited: place.visited };
        continue;
      }
      place = { ...place, after: last.key, visited: place.visited + uploads.length };
      // The total is counted for each batch, because the sync also reads documents that are pushed while it runs.
      const total = place.visited + (await this.uploads.countLeft(workspaceId, sourceId, place));
      const files = await this.bytes.filesOf(workspaceId, uploads);
      const items = uploads.map((upload) => this.itemOf(visit, upload, files.get(upload.fileId ?? '')));
      yield { items, total, checkpoint: { ...place } };
    }
  }

  private itemOf(visit: SourceVisit, upload: ListedUpload, file: DocumentFile | undefined): SourceItem {
    const { key, hash } = upload;
    return { key, hash, readItem: (known) => this.readItem(visit, upload, file, known) };
  }

  private async readItem(
    visit: SourceVisit,
    upload: ListedUpload,
    file: DocumentFile | undefined,
    known: KnownDocument | undefined,
  ): Promise<ItemReading> {
    const { key, contentType, hash } = upload;
    if (known?.hash === hash) return { kind: 'unchanged' };
    const { workspaceId, sourceId } = this.place;
    const bytes = await this.bytes.read({ workspaceId, sourceId, key }, file);
    // The document was deleted after it was listed.
    if (!bytes) return { kind: 'absent' };
    const { title, text } = await visit.extract({ bytes, contentType, url: key });
    const document = {
      key,
      url: null,
      title: upload.title ?? title ?? key,
      contentType: essenceOf(contentType),
      text,
      hash,
    };
    return { kind: 'document', document: { ...document, validator: null } };
  }
}
