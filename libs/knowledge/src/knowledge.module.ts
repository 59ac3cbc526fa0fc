import { Module } from '@nestjs/common';
import { BasesModule } from './bases/bases.module.js';
import { DocumentsModule } from './documents/documents.module.js';
import { GrantsModule } from './grants/grants.module.js';
import { KnowledgeSearchModule } from './retrieval/knowledge-search.module.js';
import { SourcesModule } from './sources/sources.module.js';
import { SyncsModule } from './syncs/syncs.module.js';

const FEATURES = [BasesModule, DocumentsModule, GrantsModule, KnowledgeSearchModule, SourcesModule, SyncsModule];

@Module({ imports: FEATURES, exports: FEATURES })
export class KnowledgeModule {}
