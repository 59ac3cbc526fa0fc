import { Module } from '@nestjs/common';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { KnowledgeSearchService } from './knowledge-search.service.js';
import { PassageSearchRepository } from './passage-search.repository.js';
import { VectorSearchRepository } from './vector-search.repository.js';

/** Provides only the search, for modules that do not manage knowledge bases. */
@Module({
  imports: [EmbeddingModule],
  providers: [KnowledgeSearchService, PassageSearchRepository, VectorSearchRepository],
  exports: [KnowledgeSearchService],
})
export class KnowledgeSearchModule {}
