import { Clock, systemClock } from '@app/kernel';
import { MODEL_EGRESS_PROVIDER } from '@app/platform/egress';
import { Module } from '@nestjs/common';
import { EmbeddingClient } from '../embedding/embedding.client.js';
import { KnowledgeSearchService } from './knowledge-search.service.js';
import { PassageSearchRepository } from './passage-search.repository.js';
import { VectorSearchRepository } from './vector-search.repository.js';

@Module({
  providers: [
    { provide: Clock, useValue: systemClock },
    MODEL_EGRESS_PROVIDER,
    EmbeddingClient,
    KnowledgeSearchService,
    PassageSearchRepository,
    VectorSearchRepository,
  ],
  exports: [EmbeddingClient, KnowledgeSearchService],
})
export class KnowledgeSearchModule {}
