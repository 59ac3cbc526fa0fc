import { ConnectionsModule } from '@app/connections';
import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { KnowledgeSourceEntity } from './knowledge-source.entity.js';
import { KnowledgeSourceRepository } from './knowledge-source.repository.js';
import { SourceTokensService } from './source-tokens.service.js';
import { UploadRepository } from './upload.repository.js';

@Module({
  imports: [ConnectionsModule, TypeOrmModule.forFeature([KnowledgeSourceEntity])],
  providers: [KnowledgeSourceRepository, SourceTokensService, UploadRepository],
  exports: [KnowledgeSourceRepository, SourceTokensService, UploadRepository],
})
export class SourceStoreModule {}
