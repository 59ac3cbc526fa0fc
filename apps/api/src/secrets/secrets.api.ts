import { ApiSchema } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import type { ListedSecret } from '@app/workspace';
import { Field, Text, Timestamp } from '../http/fields.js';

@ApiSchema({ description: 'The value of a secret.' })
export class PutSecretBody {
  @Field({
    type: String,
    minLength: 1,
    maxLength: 65_536,
    description: 'Value: 1 byte to 64 KiB of text. No response contains it.',
    example: 'sk-orders-8c1f',
  })
  @IsString()
  value: string;
}

@ApiSchema({ name: 'Secret', description: 'A stored secret without its value.' })
export class SecretResource {
  @Text({ description: 'Name. Definitions refer to the secret as `secrets.NAME`.', example: 'ORDERS_TOKEN' })
  name: string;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
  @Timestamp({ description: 'Time at which the value was last set.' }) updated_at: string;
}

export function presentSecret({ name, createdAt, updatedAt }: ListedSecret): SecretResource {
  return { name, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
}
