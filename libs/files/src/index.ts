export type { IncomingContent } from './content/file-contents.service.js';
export type { StoredContent } from './records/stored-content.js';
export { type HeldContent, HeldContentsService } from './content/held-contents.service.js';
export { isTextual } from './content/content-type.js';
export { cleanFileName } from './content/file-name.js';
export {
  FILE_SOURCES,
  FILE_STATUSES,
  type FileFilter,
  type FileSource,
  type FileStatus,
} from './records/file-status.js';
export { FileLinksService, type LinkedFile } from './file-links.service.js';
export { type FileFinding, FileVerification } from './file-verification.js';
export { FileSweepService } from './file-sweep.service.js';
export { assertReadable, type FileText, FileTextsService } from './file-texts.service.js';
export { FileUploadsService } from './file-uploads.service.js';
export type { FileEntity } from './records/file.entity.js';
export { FilesModule } from './files.module.js';
export { FixturesService } from './fixtures.service.js';
export { type HeldFile, HeldFixturesService } from './held-fixtures.service.js';
export type { Fixture } from './records/fixture.store.js';
export { assertReady, FilesService, type WorkspaceFiles } from './files.service.js';
export { StorageMarkerService } from './storage-marker.service.js';
export { FileStorageStore } from './records/file-storage.store.js';
export { ADOPT_STORAGE, SPARE_FORMER_FILES } from './records/operator-statements.js';
export { createFileStorage } from './storage/create-file-storage.js';
export { SEALED_FILE_TABLES } from './sealed-tables.js';
export { filesSchema } from './migrations/index.js';
export type { FileReference, FileRun, RunFileReference } from './records/file-reference.js';
export { DocumentFilesService } from './document-files.service.js';
export type { DocumentFile } from './records/document-file.store.js';
export { type FileRights, FileRightsService } from './file-rights.service.js';
export { MAX_RUN_FILES, type ReceivedFile, RunFilesService } from './run-files.service.js';
export { type FileValue, fileValueOf, isFileValue } from './values/file-value.js';
