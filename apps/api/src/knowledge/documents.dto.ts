import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, Matches, Max, Min } from 'class-validator';
import { PageQuery } from '../http/page.dto.js';
import { wholeNumber } from '../http/query-values.js';
import { Optional } from '../http/request-validation.js';

export class ListDocumentsQuery extends PageQuery {
  @ApiPropertyOptional({ type: String, description: 'Only documents of this source.' })
  @Optional()
  @Matches(/^src_[0-9a-z]{26}$/, { message: 'source must be the id of a source (src_…)' })
  source?: string;
}

export class DocumentQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    default: 0,
    description: 'The passage to begin with, for a document of more than 500.',
  })
  @Optional()
  @Max(2 ** 31 - 1)
  @Min(0)
  @IsInt({ message: 'from_chunk must be a whole number from 0' })
  @Transform(wholeNumber)
  from_chunk = 0;
}

@ApiSchema({ name: 'Document' })
export class DocumentResource {
  @ApiProperty({ example: 'doc_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty({ description: 'Id of the base.' })
  knowledge_base: string;

  @ApiProperty({ description: 'Id of the source.' })
  source: string;

  @ApiProperty({ description: 'What the source calls it: an address, a path, the key of a row.' })
  key: string;

  @ApiProperty()
  title: string;

  @ApiProperty({ type: String, nullable: true })
  url: string | null;

  @ApiProperty({ type: 'integer', description: 'Raised by every change of its content.' })
  version: number;

  @ApiProperty({ example: 'text/html' })
  content_type: string;

  @ApiProperty({ description: 'What its words are read as.', example: 'english' })
  language: string;

  @ApiProperty({ type: 'integer', description: 'Of its text, in UTF-8.' })
  bytes: number;

  @ApiProperty({ type: 'integer' })
  chunk_count: number;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ format: 'date-time' })
  updated_at: string;
}

@ApiSchema({ name: 'Chunk' })
export class ChunkResource {
  @ApiProperty({ type: 'integer', description: 'Its place among the passages of the document, from 0.' })
  chunk: number;

  @ApiProperty({ description: 'The headings it stands below.' })
  heading: string;

  @ApiProperty()
  text: string;

  @ApiProperty({ type: 'integer', description: "Where it begins in the document's text, in UTF-16 code units." })
  start: number;

  @ApiProperty({ type: 'integer', description: 'Where it ends.' })
  end: number;

  @ApiProperty({ type: 'integer', description: 'Estimated.' })
  tokens: number;
}

@ApiSchema({ name: 'DocumentWithChunks' })
export class DocumentWithChunksResource extends DocumentResource {
  @ApiProperty({ type: [ChunkResource], description: 'At most 500.' })
  chunks: ChunkResource[];
}
