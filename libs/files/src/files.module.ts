import { Clock, systemClock } from '@app/kernel';
import { ExtractionModule } from '@app/platform/extraction';
import { type DataDirectoryConfig, dataDirectoryConfig } from '@app/platform/startup';
import { IdempotencyModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ClamdClient } from './content/clamd.client.js';
import { FileContentsService } from './content/file-contents.service.js';
import { HeldContentsService } from './content/held-contents.service.js';
import { DocumentFilesService } from './document-files.service.js';
import { FileRightsService } from './file-rights.service.js';
import { FileRoomService } from './file-room.service.js';
import { FileSweepService } from './file-sweep.service.js';
import { FileTextsService } from './file-texts.service.js';
import { FileUploadsService } from './file-uploads.service.js';
import { type FilesConfig, filesConfig } from './files.config.js';
import { FileLinksService } from './file-links.service.js';
import { FilesService } from './files.service.js';
import { FixturesService } from './fixtures.service.js';
import { HeldFixturesService } from './held-fixtures.service.js';
import { DocumentFileStore } from './records/document-file.store.js';
import { FileEntity } from './records/file.entity.js';
import { FileReferenceStore } from './records/file-reference.store.js';
import { FileLinkStore } from './records/file-link.store.js';
import { FileStorageStore } from './records/file-storage.store.js';
import { FixtureStore } from './records/fixture.store.js';
import { FileRepository } from './records/file.repository.js';
import { RunFilesService } from './run-files.service.js';
import { createFileStorage } from './storage/create-file-storage.js';
import { FileStorage } from './storage/file-storage.js';
import { StorageMarkerService } from './storage-marker.service.js';

@Module({
  imports: [ExtractionModule, IdempotencyModule, WorkspaceModule, TypeOrmModule.forFeature([FileEntity])],
  providers: [
    { provide: Clock, useValue: systemClock },
    {
      provide: FileStorage,
      inject: [dataDirectoryConfig.KEY, filesConfig.KEY],
      useFactory: ({ dataDir }: DataDirectoryConfig, { s3 }: FilesConfig) => createFileStorage(dataDir, s3),
    },
    {
      provide: ClamdClient,
      inject: [filesConfig.KEY],
      useFactory: ({ scanner }: FilesConfig) => new ClamdClient(scanner),
    },
    DocumentFilesService,
    DocumentFileStore,
    FileContentsService,
    FileLinkStore,
    FileLinksService,
    FileReferenceStore,
    FileRepository,
    FileStorageStore,
    FileRightsService,
    FileRoomService,
    FileSweepService,
    FileTextsService,
    FileUploadsService,
    FilesService,
    FixtureStore,
    FixturesService,
    HeldContentsService,
    HeldFixturesService,
    StorageMarkerService,
    RunFilesService,
  ],
  exports: [
    DocumentFilesService,
    FileRightsService,
    FileLinksService,
    FilesService,
    FixturesService,
    HeldFixturesService,
    FileSweepService,
    FileTextsService,
    FileUploadsService,
    HeldContentsService,
    StorageMarkerService,
    RunFilesService,
  ],
})
export class FilesModule {}
