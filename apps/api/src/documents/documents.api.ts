import { ApiSchema } from '@nestjs/swagger';
import type { DocumentWithPassages } from '@app/knowledge';
import { Field, Nested, Text, Timestamp, Whole } from '../http/fields.js';
import { PageQuery } from '../http/list-pages.js';

export class ListDocumentsQuery extends PageQuery {
  @Text({
    optional: true,
    pattern: /^src_[0-9a-z]{26}$/,
    message: 'source must be the id of a source (src_…)',
    description: 'Only documents of this source.',
  })
  source?: string;
}

export class DocumentQuery {
  @Whole({
    optional: true,
    minimum: 0,
    highest: 2 ** 31 - 1,
    default: 0,
    description: 'The passage to begin with, for a document of more than 500.',
    message: 'from_chunk must be a whole number from 0',
  })
  from_chunk = 0;
}

@ApiSchema({ name: 'Document' })
export class DocumentResource {
  @Text({ example: 'doc_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @Text({ description: 'Id of the base.' }) knowledge_base: string;
  @Text({ description: 'Id of the source.' }) source: string;
  @Text({ description: 'What the source calls it: an address, a path, the key of a row.' }) key: string;
  @Text() title: string;
  @Text({ nullable: true }) url: string | null;
  @Whole({ description: 'Raised by every change of its content.' }) version: number;
  @Text({ example: 'text/html' }) content_type: string;
  @Text({ description: 'What its words are read as.', example: 'english' }) language: string;
  @Whole({ description: 'Of its text, in UTF-8.' }) bytes: number;
  @Whole() chunk_count: number;
  @Timestamp() created_at: string;
  @Timestamp() updated_at: string;
}

@ApiSchema({ name: 'Chunk' })
export class ChunkResource {
  @Whole({ description: 'Its place among the passages of the document, from 0.' }) chunk: number;
  @Text({ description: 'The headings it stands below.' }) heading: string;
  @Text() text: string;
  @Whole({ description: "Where it begins in the document's text, in UTF-16 code units." }) start: number;
  @Whole({ description: 'Where it ends.' }) end: number;
  @Whole({ description: 'Estimated.' }) tokens: number;
}

@ApiSchema({ name: 'DocumentWithChunks' })
export class DocumentWithChunksResource extends DocumentResource {
  @Nested(ChunkResource, { list: true, description: 'At most 500.' }) chunks: ChunkResource[];
}

export class SearchKnowledgeBody {
  @Text({
    minLength: 1,
    maxLength: 10_000,
    example: 'When is a refund "paid out"?',
    description: 'Words, in any form; what stands in quotation marks has to be found as it is.',
  })
  query: string;
  @Whole({
    optional: true,
    message: 'top_k must be a whole number from 1 to 100',
    minimum: 1,
    maximum: 100,
    description: "Passages at most. Default: `retrieval.top_k` of the base's settings.",
  })
  top_k?: number;
}

@ApiSchema({ name: 'FoundDocument' })
export class FoundDocumentResource {
  @Text({ example: 'doc_01kahzvk3te9d8q6f0f1v3m2sx' }) id: string;
  @Text() title: string;
  @Text({ nullable: true }) url: string | null;
  @Whole() version: number;
}

@ApiSchema({ name: 'Passage' })
export class PassageResource {
  @Nested(FoundDocumentResource) document: FoundDocumentResource;
  @Whole({ description: 'Its place among the passages of the document, from 0.' }) chunk: number;
  @Text({ description: 'The headings it stands below.' }) heading: string;
  @Text() text: string;
  @Field({ minimum: 0, maximum: 1, description: 'Comparable within one answer.' }) score: number;
  @Whole({ description: "Where it begins in the document's text, in UTF-16 code units." }) start: number;
  @Whole({ description: 'Where it ends.' }) end: number;
}

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
