import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsInt, Max, Min } from 'class-validator';
import { LONGEST_GRACE_SECONDS } from '@app/workspace';
import { Optional } from './request-validation.js';

const A_DAY_SECONDS = 24 * 3_600;

/** What every rotation says of those from earlier ones. */
export const FORMER_STAY_VALID =
  'Those of earlier rotations stay valid until the time that they were given (of more than five the oldest ends); `grace_seconds: 0` ends all of them.';

/** What every rotation takes, of a key or of a secret. */
export class RotationBody {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    maximum: LONGEST_GRACE_SECONDS,
    default: A_DAY_SECONDS,
    description: 'For how long the one before stays valid as well; 0 ends it and all former ones at once.',
  })
  @Optional()
  @Max(LONGEST_GRACE_SECONDS)
  @Min(0)
  @IsInt()
  grace_seconds = A_DAY_SECONDS;
}
