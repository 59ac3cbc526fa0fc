import { CrawlPage } from '../sync/crawl-page.entity.js';
import { PageLinks } from '../sync/page-links.entity.js';
import { KnowledgeSync } from '../sync/knowledge-sync.entity.js';
import { KnowledgeSource } from './knowledge-source.entity.js';
import { Upload } from './upload.entity.js';

/** The tables of sources and syncs. */
export const SOURCE_ENTITIES = [KnowledgeSource, KnowledgeSync, CrawlPage, PageLinks, Upload];
