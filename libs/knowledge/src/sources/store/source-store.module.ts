import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KnowledgeSource } from './knowledge-source.entity.js';
import { KnowledgeSourceRepository } from './knowledge-source.repository.js';
import { Upload } from './upload.entity.js';
import { UploadRepository } from './upload.repository.js';

/** The rows of sources and of what was pushed into them. */
@Module({
  imports: [TypeOrmModule.forFeature([KnowledgeSource, Upload])],
  providers: [KnowledgeSourceRepository, UploadRepository],
  exports: [KnowledgeSourceRepository, UploadRepository],
})
export class SourceStoreModule {}
