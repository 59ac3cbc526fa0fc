import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BasesModule } from '../bases/bases.module.js';
import { DocumentIndexService } from './document-index.service.js';
import { SourceDocumentRepository } from './source-document.repository.js';
import { DocumentStore } from './document.store.js';
import { DocumentRepository } from './document.repository.js';
import { KnowledgeChunkEntity } from './knowledge-chunk.entity.js';
import { KnowledgeDocumentEntity } from './knowledge-document.entity.js';
import { KnowledgeDocumentsService } from './knowledge-documents.service.js';
import { PassageCutter } from './passage-cutter.js';

const ENTITIES = [KnowledgeDocumentEntity, KnowledgeChunkEntity];

@Module({
  imports: [TypeOrmModule.forFeature(ENTITIES), BasesModule],
  providers: [
    DocumentIndexService,
    SourceDocumentRepository,
    DocumentRepository,
    DocumentStore,
    KnowledgeDocumentsService,
    { provide: PassageCutter, useFactory: () => new PassageCutter() },
  ],
  exports: [DocumentIndexService, DocumentStore, KnowledgeDocumentsService, PassageCutter],
})
export class DocumentsModule {}
