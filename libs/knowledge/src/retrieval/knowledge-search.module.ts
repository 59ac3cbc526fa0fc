import { Module } from '@nestjs/common';
import { KnowledgeSearch } from './knowledge-search.service.js';
import { PassageSearch } from './passage-search.repository.js';

/** Searching, for whoever has nothing else to do with knowledge bases. */
@Module({ providers: [KnowledgeSearch, PassageSearch], exports: [KnowledgeSearch] })
export class KnowledgeSearchModule {}
