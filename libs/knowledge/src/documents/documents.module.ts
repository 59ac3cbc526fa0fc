import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BasesModule } from '../bases/bases.module.js';
import { DocumentIndex } from './document-index.service.js';
import { DocumentMarks } from './document-marks.repository.js';
import { DocumentWrites } from './document-writes.repository.js';
import { DocumentRepository } from './document.repository.js';
import { KnowledgeChunk } from './knowledge-chunk.entity.js';
import { KnowledgeDocument } from './knowledge-document.entity.js';
import { KnowledgeDocuments } from './knowledge-documents.service.js';
import { KnowledgeText } from './knowledge-text.entity.js';
import { KnowledgeVector } from './knowledge-vector.entity.js';
import { KnowledgeWord } from './knowledge-word.entity.js';
import { PassageCutter } from './passage-cutter.service.js';

const ENTITIES = [KnowledgeDocument, KnowledgeText, KnowledgeChunk, KnowledgeWord, KnowledgeVector];

/** Documents, and the passages and words that they are cut into. */
@Module({
  imports: [TypeOrmModule.forFeature(ENTITIES), BasesModule],
  providers: [DocumentIndex, DocumentMarks, DocumentRepository, DocumentWrites, KnowledgeDocuments, PassageCutter],
  exports: [DocumentIndex, DocumentWrites, KnowledgeDocuments, PassageCutter],
})
export class DocumentsModule {}
