import { Module } from '@nestjs/common';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { KeywordSearch } from './keyword-search.service.js';
import { KnowledgeSearch } from './knowledge-search.service.js';
import { PassageSearch } from './passage-search.repository.js';
import { SemanticSearch } from './semantic-search.service.js';
import { VectorSearch } from './vector-search.repository.js';

/** Searching, for whoever has nothing else to do with knowledge bases. */
@Module({
  imports: [EmbeddingModule],
  providers: [KeywordSearch, KnowledgeSearch, PassageSearch, SemanticSearch, VectorSearch],
  exports: [KnowledgeSearch],
})
export class KnowledgeSearchModule {}
