import { ApiSchema } from '@nestjs/swagger';
import { DomainError, parseDuration } from '@app/kernel';
import { Flag, Text, Timestamp } from '../http/fields.js';

const MINUTE_MILLIS = 60_000;
const MAX_LIFETIME_MILLIS = 24 * 3_600_000;

@ApiSchema({ description: 'Options of a link.' })
export class CreateFileLinkBody {
  @Text({
    optional: true,
    default: '1h',
    description: 'Time until the link expires, from `1m` to `24h`.',
    example: '1h',
  })
  expires_in = '1h';

  @Flag({ optional: true, default: false, description: 'Whether the first download spends the link.' })
  once = false;
}

@ApiSchema({ name: 'FileLink', description: 'A link to a file.' })
export class FileLinkResource {
  @Text({
    format: 'uri',
    description: 'Address that opens the file without a key.',
    example: 'https://agents.example.com/files/R29vZCBsdWNrIGd1ZXNzaW5nIHRoaXMgdG9rZW4hISE',
  })
  url: string;
  @Timestamp({ description: 'Time at which the link expires.' }) expires_at: string;
}

/** Returns the milliseconds of `expires_in`. @throws DomainError `invalid_request` */
export function linkLifetimeOf({ expires_in }: CreateFileLinkBody): number {
  const millis = parseDuration(expires_in) ?? 0;
  if (millis >= MINUTE_MILLIS && millis <= MAX_LIFETIME_MILLIS) return millis;
  const detail = '`expires_in` must be a duration from 1m to 24h, for example 1h.';
  throw new DomainError('invalid_request', detail, { errors: [{ pointer: '/expires_in', detail }] });
}
