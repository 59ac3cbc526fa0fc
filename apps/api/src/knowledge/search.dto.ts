import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsInt, IsString, Max, MaxLength, Min, MinLength } from 'class-validator';
import { Optional } from '../http/request-validation.js';

export class SearchKnowledgeBody {
  @ApiProperty({
    minLength: 1,
    maxLength: 10_000,
    example: 'When is a refund "paid out"?',
    description: 'Words, in any form; what stands in quotation marks has to be found as it is.',
  })
  @MaxLength(10_000)
  @MinLength(1)
  @IsString()
  query: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: 100,
    description: "Passages at most. Default: `retrieval.top_k` of the base's settings.",
  })
  @Optional()
  @Max(100)
  @Min(1)
  @IsInt({ message: 'top_k must be a whole number from 1 to 100' })
  top_k?: number;
}

@ApiSchema({ name: 'FoundDocument' })
export class FoundDocumentResource {
  @ApiProperty({ example: 'doc_01kahzvk3te9d8q6f0f1v3m2sx' })
  id: string;

  @ApiProperty()
  title: string;

  @ApiProperty({ type: String, nullable: true })
  url: string | null;

  @ApiProperty({ type: 'integer' })
  version: number;
}

@ApiSchema({ name: 'Passage' })
export class PassageResource {
  @ApiProperty({ type: FoundDocumentResource })
  document: FoundDocumentResource;

  @ApiProperty({ type: 'integer', description: 'Its place among the passages of the document, from 0.' })
  chunk: number;

  @ApiProperty({ description: 'The headings it stands below.' })
  heading: string;

  @ApiProperty()
  text: string;

  @ApiProperty({ minimum: 0, maximum: 1, description: 'Comparable within one answer.' })
  score: number;

  @ApiProperty({ type: 'integer', description: "Where it begins in the document's text, in UTF-16 code units." })
  start: number;

  @ApiProperty({ type: 'integer', description: 'Where it ends.' })
  end: number;
}
