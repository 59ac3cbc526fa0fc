import { Injectable } from '@nestjs/common';
import type { KnownDocument } from '../../documents/document-marks.repository.js';
import { essenceOf } from '@app/platform/extraction';
import { type ListedUpload, UploadRepository } from '../../sources/upload.repository.js';
import type { Brought, Connector, ItemBatch, SourceVisit } from '../connector.js';

const BATCH = 400;

/** Documents that were pushed. */
@Injectable()
export class UploadConnector implements Connector {
  /** Each may be as large as an upload may be. */
  readonly parallelism = 4;
  readonly isAuthoritative = true;

  constructor(private readonly uploads: UploadRepository) {}

  async *enumerate(visit: SourceVisit): AsyncGenerator<ItemBatch> {
    const { workspaceId, sourceId } = visit.scope;
    let after = typeof visit.checkpoint?.after === 'string' ? visit.checkpoint.after : '';
    for (;;) {
      const uploads = await this.uploads.list(workspaceId, sourceId, after, BATCH);
      const last = uploads.at(-1);
      if (!last) return;
      after = last.key;
      // Anew each time: what is pushed meanwhile is met as well.
      const total = await this.uploads.count(workspaceId, sourceId);
      const items = uploads.map((upload) => ({ key: upload.key, bring: (known?: KnownDocument) => this.bring(visit, upload, known) })); // prettier-ignore
      yield { items, total, checkpoint: { after } };
    }
  }

  private async bring(visit: SourceVisit, upload: ListedUpload, known: KnownDocument | undefined): Promise<Brought> {
    const { key, contentType, hash, content } = upload;
    if (known?.hash === hash) return { kind: 'unchanged' };
    const { workspaceId, sourceId } = visit.scope;
    const bytes = content ?? (await this.uploads.content(workspaceId, sourceId, key));
    // Deleted since it was listed.
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
