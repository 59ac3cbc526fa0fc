import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { IsString } from 'class-validator';

export class PutSecretBody {
  @ApiProperty({ minLength: 1, maxLength: 65_536, description: '1 byte to 64 KiB of text. No answer ever has it.' })
  @IsString()
  value: string;
}

@ApiSchema({ name: 'Secret' })
export class SecretResource {
  @ApiProperty({ example: 'ORDERS_TOKEN' })
  name: string;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ format: 'date-time', description: 'When its value was given for the last time.' })
  updated_at: string;
}
