import { ApiSchema } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import type { ListedSecret } from '@app/workspace';
import { Field, Text, Timestamp } from '../http/fields.js';

export class PutSecretBody {
  @Field({
    type: String,
    minLength: 1,
    maxLength: 65_536,
    description: '1 byte to 64 KiB of text. No answer ever has it.',
  })
  @IsString()
  value: string;
}

@ApiSchema({ name: 'Secret' })
export class SecretResource {
  @Text({ example: 'ORDERS_TOKEN' }) name: string;
  @Timestamp() created_at: string;
  @Timestamp({ description: 'When its value was given for the last time.' }) updated_at: string;
}

export function presentSecret({ name, createdAt, updatedAt }: ListedSecret): SecretResource {
  return { name, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
}
