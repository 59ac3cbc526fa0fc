import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, Matches, MaxLength } from 'class-validator';
import { Optional } from '../http/request-validation.js';

const STATE = /^[A-Za-z0-9_-]{1,200}$/;
const STATE_RULE = { message: 'state is not one that was given out' };

/** Of an authorize_url. */
export class StateQuery {
  @ApiProperty({ type: String, description: 'As the authorize_url has it.' })
  @Matches(STATE, STATE_RULE)
  @IsString()
  state: string;
}

/** What a provider sends a browser back with (RFC 6749, section 4.1.2). Whatever else it adds is not looked at. */
export class CallbackQuery {
  @ApiProperty({ type: String })
  @Matches(STATE, STATE_RULE)
  @IsString()
  state: string;

  @ApiPropertyOptional({ type: String })
  @Optional()
  @MaxLength(4_000)
  @IsString()
  code?: string;

  @ApiPropertyOptional({ type: String })
  @Optional()
  @MaxLength(200)
  @IsString()
  error?: string;

  @ApiPropertyOptional({ type: String })
  @Optional()
  @MaxLength(2_000)
  @IsString()
  error_description?: string;

  @ApiPropertyOptional({ type: String, description: 'RFC 9207.' })
  @Optional()
  @MaxLength(500)
  @IsString()
  iss?: string;
}
