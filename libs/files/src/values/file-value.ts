import type { FileValue } from '@app/kernel';
import type { FileEntity } from '../records/file.entity.js';

export { type FileValue, isFileValue } from '@app/kernel';

export function fileValueOf({
  id,
  filename,
  contentType,
  bytes,
  sha256,
}: Pick<FileEntity, 'id' | 'filename' | 'contentType' | 'bytes' | 'sha256'>): FileValue {
  return { file: id, filename, content_type: contentType, bytes, sha256 };
}
