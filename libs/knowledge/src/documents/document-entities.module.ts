import { KnowledgeVector } from '../embedding/knowledge-vector.entity.js';
import { KnowledgeChunk } from './knowledge-chunk.entity.js';
import { KnowledgeDocument } from './knowledge-document.entity.js';
import { KnowledgeText } from './knowledge-text.entity.js';
import { KnowledgeWord } from './knowledge-word.entity.js';

/** The tables of documents. */
export const DOCUMENT_ENTITIES = [KnowledgeDocument, KnowledgeText, KnowledgeChunk, KnowledgeWord, KnowledgeVector];
