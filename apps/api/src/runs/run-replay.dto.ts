import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, Max, Min, ValidateBy } from 'class-validator';
import { RUN_MODES, type RunMode, TOOL_RESULTS, type ToolResults } from '@app/runs';
import { Optional } from '../http/request-validation.js';

const HIGHEST_NUMBER = 2 ** 31 - 1;
const LONGEST_NAME = 1_000;

const IsStepReference = (): PropertyDecorator =>
  ValidateBy({
    name: 'isStepReference',
    validator: {
      validate: (value: unknown) =>
        typeof value === 'string'
          ? value !== '' && value.length <= LONGEST_NAME
          : Number.isInteger(value) && Number(value) >= 1 && Number(value) <= HIGHEST_NUMBER,
      defaultMessage: () => 'from_step must be a position in the trace (from 1), or the id or path of a step',
    },
  });

export class ReplayRunBody {
  @ApiPropertyOptional({
    oneOf: [
      { type: 'integer', minimum: 1, maximum: HIGHEST_NUMBER },
      { type: 'string', minLength: 1, maxLength: LONGEST_NAME },
    ],
    description:
      'Results recorded before this step are taken over, whatever `tool_results` says: a position in the trace (`n`), the id of ' +
      'a trace step, or the path of a step. Default: none are.',
    example: 'refund',
  })
  @Optional()
  @IsStepReference()
  from_step?: number | string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: HIGHEST_NUMBER,
    description: 'Default: the version that ran.',
  })
  @Optional()
  @Max(HIGHEST_NUMBER)
  @Min(1)
  @IsInt()
  version?: number;

  @ApiProperty({ enum: RUN_MODES, description: '`production` makes writes again, `test` simulates them.' })
  @IsIn(RUN_MODES)
  mode: RunMode;

  @ApiProperty({
    enum: TOOL_RESULTS,
    required: false,
    default: 'recorded',
    description:
      '`recorded`: a call at the same place, of the same operation and with an equal request has the result that it had; any ' +
      'other call is treated as in every run of the mode (in `test` reads are made and writes simulated). `live`: calls are made again.',
  })
  @Optional()
  @IsIn(TOOL_RESULTS)
  tool_results: ToolResults = 'recorded';
}
