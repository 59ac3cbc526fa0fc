import { PendingAuthorization } from '../authorization/pending-authorization.entity.js';
import { SourceToken } from '../authorization/source-token.entity.js';
import { CrawlPage } from '../connectors/website/crawl-page.entity.js';
import { PageLinks } from '../connectors/website/page-links.entity.js';
import { KnowledgeSync } from '../sync/knowledge-sync.entity.js';
import { KnowledgeSource } from './knowledge-source.entity.js';
import { Upload } from './upload.entity.js';

/** The tables of sources and syncs. */
export const SOURCE_ENTITIES = [
  KnowledgeSource,
  KnowledgeSync,
  CrawlPage,
  PageLinks,
  Upload,
  PendingAuthorization,
  SourceToken,
];
