import { ApiSchema } from '@nestjs/swagger';
import type { JsonValue } from '@app/kernel';
import { AnyValue, Nested, Text, Timestamp, Whole } from '../http/fields.js';

const MAX_KEY = 256;

export class ListStateQuery {
  @Text({
    optional: true,
    maxLength: MAX_KEY,
    description: 'Lists only keys that begin with this text.',
    example: 'feed/',
  })
  prefix = '';

  @Whole({
    optional: true,
    minimum: 1,
    maximum: 100,
    default: 25,
    description: 'Maximum number of entries in a page. A page with large values can have fewer.',
    message: 'limit must be a whole number from 1 to 100',
  })
  limit = 25;

  @Text({
    optional: true,
    description: 'Previous `next_cursor`.',
  })
  cursor?: string;
}

export class DeleteStateQuery {
  @Text({
    optional: true,
    minLength: 1,
    maxLength: MAX_KEY,
    description: 'The key to delete. Default: all keys.',
    example: 'feed/cursor',
  })
  key?: string;
}

@ApiSchema({ name: 'StateEntry', description: 'A value that agents keep between runs.' })
export class StateEntryResource {
  @Text({ description: 'Key of the entry.', example: 'feed/cursor' }) key: string;
  @AnyValue({ nullable: true, description: 'Value that the last write stored.', example: '17' }) value: JsonValue;
  @Whole({ description: 'Number of writes since the entry was created, from 1.', example: 3 })
  version: number;
  @Timestamp({ description: 'Time of the last write.' }) updated_at: string;
  @Timestamp({ nullable: true, description: 'Time at which the entry is deleted; null if it does not expire.' })
  expires_at: string | null;
}

@ApiSchema({ name: 'StatePage', description: 'Entries in the order of their keys.' })
export class StatePageResource {
  @Nested(StateEntryResource, { list: true, description: 'The entries.' }) data: StateEntryResource[];
  @Text({ optional: true, description: 'Next page; absent on the last page.', example: 'eyJhIjoi…' })
  next_cursor?: string;
}
