import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KnowledgeSourceEntity } from './knowledge-source.entity.js';
import { KnowledgeSourceRepository } from './knowledge-source.repository.js';
import { UploadEntity } from './upload.entity.js';
import { UploadRepository } from './upload.repository.js';

/** The rows of sources and uploads. */
@Module({
  imports: [TypeOrmModule.forFeature([KnowledgeSourceEntity, UploadEntity])],
  providers: [KnowledgeSourceRepository, UploadRepository],
  exports: [KnowledgeSourceRepository, UploadRepository],
})
export class SourceStoreModule {}
