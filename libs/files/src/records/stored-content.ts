import type { FileEntity } from './file.entity.js';

/** The bytes are in the storage, but no row refers to them yet. */
export type StoredContent = Pick<
  FileEntity,
  'id' | 'filename' | 'contentType' | 'declaredContentType' | 'bytes' | 'sha256'
> & { key: Buffer };
