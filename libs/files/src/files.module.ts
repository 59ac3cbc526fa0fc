import { join } from 'node:path';
import { Clock, systemClock } from '@app/kernel';
import { type DataDirectoryConfig, dataDirectoryConfig } from '@app/platform/startup';
import { IdempotencyModule, WorkspaceModule } from '@app/workspace';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { FileContentsService } from './content/file-contents.service.js';
import { FileSweepService } from './file-sweep.service.js';
import { FileUploadsService } from './file-uploads.service.js';
import { FilesService } from './files.service.js';
import { FileEntity } from './records/file.entity.js';
import { FileRepository } from './records/file.repository.js';
import { DiskStorageAdapter } from './storage/disk-storage.adapter.js';
import { FileStorage } from './storage/file-storage.js';

@Module({
  imports: [IdempotencyModule, WorkspaceModule, TypeOrmModule.forFeature([FileEntity])],
  providers: [
    { provide: Clock, useValue: systemClock },
    {
      provide: FileStorage,
      inject: [dataDirectoryConfig.KEY],
      useFactory: ({ dataDir }: DataDirectoryConfig) => new DiskStorageAdapter(join(dataDir, 'files')),
    },
    FileContentsService,
    FileRepository,
    FileSweepService,
    FileUploadsService,
    FilesService,
  ],
  exports: [FilesService, FileSweepService, FileUploadsService],
})
export class FilesModule {}
