import { ApiSchema } from '@nestjs/swagger';
import type { DocumentWithPassages } from '@app/knowledge';
import { Field, Id, Nested, Text, Timestamp, Whole } from '../http/fields.js';
import { PageQuery } from '../http/list-pages.service.js';

export class ListDocumentsQuery extends PageQuery {
  @Text({
    optional: true,
    pattern: /^src_[0-9a-z]{26}$/,
    message: 'source must be the id of a source (src_…)',
    description: 'Id of the source whose documents are listed.',
    example: 'src_01kahzvk3te9d8q6f0f1v3m2sx',
  })
  source?: string;
  @Text({
    optional: true,
    pattern: /^syn_[0-9a-z]{26}$/,
    message: 'held_by must be the id of a sync (syn_…)',
    description:
      'Id of the latest sync of a source. Lists the documents that this sync found deleted in the source and that are kept until the deletions are confirmed.',
    example: 'syn_01kahzvk3te9d8q6f0f1v3m2sx',
  })
  held_by?: string;
}

export class DocumentQuery {
  @Whole({
    optional: true,
    minimum: 0,
    highest: 2 ** 31 - 1,
    default: 0,
    description: 'Position of the first passage to return. A response has at most 500 passages.',
    message: 'from_chunk must be a whole number from 0',
  })
  from_chunk = 0;
}

@ApiSchema({ name: 'Document', description: 'A document from a source.' })
export class DocumentResource {
  @Id('document') id: string;
  @Id('knowledgeBase') knowledge_base: string;
  @Id('source', { description: 'Id of the source that contains the document.' }) source: string;
  @Text({
    description: 'Key of the document in its source: an address, a path or the key of a row.',
    example: 'handbook/refunds.md',
  })
  key: string;
  @Text({ description: 'Title of the document.', example: 'Refunds' }) title: string;
  @Text({
    nullable: true,
    description: 'Address of the document for people; null if there is none.',
    example: 'https://docs.example.com/refunds',
  })
  url: string | null;
  @Whole({ description: 'Version, which increases with each change of the content.', example: 2 }) version: number;
  @Text({ description: 'Media type of the original.', example: 'text/html' }) content_type: string;
  @Text({ description: 'Language that is used for word stems in searches.', example: 'english' }) language: string;
  @Whole({ description: 'Size of the text in UTF-8, in bytes.', example: 4210 }) bytes: number;
  @Whole({ description: 'Number of passages.', example: 6 }) chunk_count: number;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
  @Timestamp({ description: 'Time of the last change.' }) updated_at: string;
}

@ApiSchema({ name: 'Chunk', description: 'A passage of a document, the unit of search.' })
export class ChunkResource {
  @Whole({ description: 'Position among the passages of the document, from 0.' }) chunk: number;
  @Text({ description: 'Headings above the passage.', example: 'Refunds > Time limits' }) heading: string;
  @Text({ description: 'Text of the passage.', example: 'Refunds are paid within five days.' }) text: string;
  @Whole({ description: 'Start in the text of the document, in UTF-16 code units.', example: 0 }) start: number;
  @Whole({ description: 'End in the text of the document, in UTF-16 code units, exclusive.', example: 34 })
  end: number;
  @Whole({ description: 'Estimated number of tokens.', example: 8 }) tokens: number;
}

@ApiSchema({ name: 'DocumentWithChunks', description: 'A document with its passages.' })
export class DocumentWithChunksResource extends DocumentResource {
  @Nested(ChunkResource, { list: true, description: 'Passages from `from_chunk`, at most 500.' })
  chunks: ChunkResource[];
}

@ApiSchema({ description: 'A search.' })
export class SearchKnowledgeBody {
  @Text({
    minLength: 1,
    maxLength: 10_000,
    example: 'When is a refund "paid out"?',
    description:
      'Question or words to search for. Other forms of a word also match. The words of a text in quotation marks must follow one another.',
  })
  query: string;
  @Whole({
    optional: true,
    message: 'top_k must be a whole number from 1 to 100',
    minimum: 1,
    maximum: 100,
    description: "Maximum number of passages to return. Default: `retrieval.top_k` of the base's settings.",
    example: 5,
  })
  top_k?: number;
}

@ApiSchema({ name: 'FoundDocument', description: 'The document of a passage.' })
export class FoundDocumentResource {
  @Id('document') id: string;
  @Text({ description: 'Title of the document.', example: 'Refunds' }) title: string;
  @Text({
    nullable: true,
    description: 'URL at which people can open the document; null if there is none.',
    example: null,
  })
  url: string | null;
  @Whole({ description: 'Version of the document.', example: 2 }) version: number;
}

@ApiSchema({ name: 'Passage', description: 'A passage that matches a search.' })
export class PassageResource {
  @Nested(FoundDocumentResource, { description: 'Document of the passage.' }) document: FoundDocumentResource;
  @Whole({ description: 'Position among the passages of the document, from 0.' }) chunk: number;
  @Text({ description: 'Headings above the passage.', example: 'Refunds > Time limits' }) heading: string;
  @Text({ description: 'Text of the passage.', example: 'Refunds are paid within five days.' }) text: string;
  @Field({ minimum: 0, maximum: 1, description: 'Score, 0 to 1, comparable within one response.', example: 0.82 })
  score: number;
  @Whole({ description: 'Start in the text of the document, in UTF-16 code units.', example: 0 }) start: number;
  @Whole({ description: 'End in the text of the document, in UTF-16 code units, exclusive.', example: 34 })
  end: number;
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
