import type { DocumentWithPassages } from '@app/knowledge';
import type { ChunkResource, DocumentResource, DocumentWithChunksResource } from './documents.dto.js';

export function presentDocument(document: DocumentWithPassages['document']): DocumentResource {
  return {
    id: document.id,
    knowledge_base: document.knowledgeBaseId,
    source: document.sourceId,
    key: document.key,
    title: document.title,
    url: document.url,
    version: document.version,
    content_type: document.contentType,
    language: document.language,
    bytes: document.bytes,
    chunk_count: document.chunkCount,
    created_at: document.createdAt.toISOString(),
    updated_at: document.updatedAt.toISOString(),
  };
}

export function presentDocumentWithChunks({ document, passages }: DocumentWithPassages): DocumentWithChunksResource {
  return Object.assign(presentDocument(document), { chunks: passages.map(presentChunk) });
}

function presentChunk({
  n,
  heading,
  body,
  start,
  end,
  tokens,
}: DocumentWithPassages['passages'][number]): ChunkResource {
  return { chunk: n, heading, text: body, start, end, tokens };
}
