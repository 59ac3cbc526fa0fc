import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { LONGEST_GRACE_SECONDS } from '@app/workspace';
import { Optional } from './request-validation.js';

const A_DAY_SECONDS = 24 * 3_600;

/** What every rotation takes, of a key or of a secret. */
export class RotationBody {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: LONGEST_GRACE_SECONDS,
    default: A_DAY_SECONDS,
    description: 'For how long the one before stays valid as well.',
  })
  @Optional()
  @Max(LONGEST_GRACE_SECONDS)
  @Min(0)
  @IsInt()
  grace_seconds = A_DAY_SECONDS;
}
