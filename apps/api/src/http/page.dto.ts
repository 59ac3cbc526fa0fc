import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { SORT_ORDERS, type SortOrder } from '@app/kernel';
import { LIMIT_WORDS } from '../openapi/configured-limits.js';
import { wholeNumber } from './query-values.js';
import { Optional } from './request-validation.js';

/** What every list takes (contract, section 4). */
export class PageQuery {
  @ApiPropertyOptional({ minimum: 1, maximum: 100, default: 25, type: 'integer', description: 'Resources per page.' })
  @Optional()
  @Max(100)
  @Min(1)
  @IsInt({ message: 'limit must be a whole number from 1 to 100' })
  @Transform(wholeNumber)
  limit = 25;

  @ApiPropertyOptional({ enum: SORT_ORDERS, default: 'desc', description: 'By creation time.' })
  @Optional()
  @IsIn(SORT_ORDERS)
  order: SortOrder = 'desc';

  @ApiPropertyOptional({
    type: String,
    description: `\`next_cursor\` of the previous page. Valid for ${LIMIT_WORDS.cursor}.`,
  })
  @Optional()
  @IsString()
  cursor?: string;
}
