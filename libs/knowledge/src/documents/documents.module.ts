import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BasesModule } from '../bases/bases.module.js';
import { DocumentIndex } from './document-index.service.js';
import { DocumentMarks } from './document-marks.repository.js';
import { DocumentWrites } from './document-writes.repository.js';
import { DocumentRepository } from './document.repository.js';
import { KnowledgeChunkEntity } from './knowledge-chunk.entity.js';
import { KnowledgeDocumentEntity } from './knowledge-document.entity.js';
import { KnowledgeDocuments } from './knowledge-documents.service.js';
import { KnowledgeTextEntity } from './knowledge-text.entity.js';
import { KnowledgeVectorEntity } from './knowledge-vector.entity.js';
import { KnowledgeWordEntity } from './knowledge-word.entity.js';
import { PassageCutter } from './passage-cutter.service.js';

const ENTITIES = [
  KnowledgeDocumentEntity,
  KnowledgeTextEntity,
  KnowledgeChunkEntity,
  KnowledgeWordEntity,
  KnowledgeVectorEntity,
];

/** Documents, and the passages and words that they are cut into. */
@Module({
  imports: [TypeOrmModule.forFeature(ENTITIES), BasesModule],
  providers: [DocumentIndex, DocumentMarks, DocumentRepository, DocumentWrites, KnowledgeDocuments, PassageCutter],
  exports: [DocumentIndex, DocumentWrites, KnowledgeDocuments, PassageCutter],
})
export class DocumentsModule {}
