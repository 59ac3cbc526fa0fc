import { join } from 'node:path';
import { DiskStorageAdapter } from './disk-storage.adapter.js';
import type { FileStorage } from './file-storage.js';
import { S3StorageAdapter } from './s3-storage.adapter.js';
import type { S3Settings } from './s3-settings.js';

export function createFileStorage(dataDir: string, s3: S3Settings | undefined): FileStorage {
  return s3 ? new S3StorageAdapter(s3) : new DiskStorageAdapter(join(dataDir, 'files'));
}
