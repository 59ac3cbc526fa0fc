import { ApiSchema } from '@nestjs/swagger';
import { FILE_SOURCES, FILE_STATUSES, type FileEntity, type FileSource, type FileStatus } from '@app/files';
import { DomainError, parameterPlace, parseDuration } from '@app/kernel';
import { type PageRange, parsePages } from '@app/platform/extraction';
import { Flag, Id, Nested, OneOf, Text, TimeParameter, Timestamp, Whole } from '../http/fields.js';
import { PageQuery } from '../http/list-pages.service.js';

const MINUTE_MILLIS = 60_000;
const MAX_LIFETIME_MILLIS = 30 * 24 * 3_600_000;

export class ListFilesQuery extends PageQuery {
  @OneOf(FILE_SOURCES, { optional: true, description: 'Lists only files that came in this way.' })
  source?: FileSource;

  @TimeParameter({ optional: true, description: 'Lists only files that were created at this time or later.' })
  since?: Date;
}

export class UploadFileQuery {
  @Text({
    optional: true,
    description: 'Name of the file. It is cleaned: folders and control characters are removed.',
    example: 'invoice.pdf',
  })
  filename?: string;

  @Text({
    optional: true,
    description: 'Time until the file is deleted, from `1m` to `30d`. Default: `FILE_UNUSED_HOURS` (default 24 hours).',
    example: '7d',
  })
  expires_in?: string;
}

export class FileTextQuery {
  @Text({ optional: true, description: 'Pages of a PDF, counted from 1. Default: all.', example: '1-3,5' })
  pages?: string;

  @Whole({
    optional: true,
    minimum: 1,
    maximum: 1_000_000,
    default: 100_000,
    description: 'Maximum number of characters.',
    example: 20_000,
  })
  max_chars = 100_000;
}

@ApiSchema({ name: 'FileText', description: 'The text of a file.' })
export class FileTextResource {
  @Text({ description: 'The text. Empty if a PDF has none, for example a scan.', example: 'Invoice 4711' })
  text: string;
  @Whole({ nullable: true, description: 'Number of pages of a PDF; null for other types.', example: 3 })
  pages: number | null;
  @Flag({ description: 'Whether the file has more text than `max_chars`.' }) truncated: boolean;
}

@ApiSchema({ name: 'FileOrigin', description: 'How a file came into the service.' })
export class FileOriginResource {
  @OneOf(FILE_SOURCES, { description: 'Way of arrival.' }) type: FileSource;
}

@ApiSchema({ name: 'File', description: 'A file of the workspace.' })
export class FileResource {
  @Id('file') id: string;
  @Text({ description: 'Name of the file, cleaned.', example: 'invoice.pdf' }) filename: string;
  @Text({ description: 'Media type that the bytes have.', example: 'application/pdf' }) content_type: string;
  @Text({
    nullable: true,
    description: 'Media type that the sender declared; null if it declared none.',
    example: 'application/pdf',
  })
  declared_content_type: string | null;
  @Whole({ description: 'Size in bytes.', example: 6291456 }) bytes: number;
  @Text({
    description: 'SHA-256 of the bytes, in hexadecimal.',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  sha256: string;
  @OneOf(FILE_STATUSES, { description: 'Status. A deleted file has no bytes any more.' }) status: FileStatus;
  @Nested(FileOriginResource, { description: 'How the file came into the service.' }) source: FileOriginResource;
  @Timestamp({ nullable: true, description: 'Time from which the file counts as deleted; null if it has none.' })
  expires_at: string | null;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
  @Text({
    nullable: true,
    description: 'E-mail address of the member who uploaded the file; null if no member did.',
    example: 'ada@example.com',
  })
  created_by: string | null;
}

export function presentFile(file: FileEntity): FileResource {
  return {
    id: file.id,
    filename: file.filename,
    content_type: file.contentType,
    declared_content_type: file.declaredContentType,
    bytes: file.bytes,
    sha256: file.sha256,
    status: file.status,
    source: { type: file.source },
    expires_at: file.expiresAt?.toISOString() ?? null,
    created_at: file.createdAt.toISOString(),
    created_by: file.createdBy,
  };
}

/** Returns the milliseconds of `expires_in`. @throws DomainError `invalid_request` */
export function lifetimeOf({ expires_in }: UploadFileQuery): number | undefined {
  if (expires_in === undefined) return undefined;
  const millis = parseDuration(expires_in) ?? 0;
  if (millis >= MINUTE_MILLIS && millis <= MAX_LIFETIME_MILLIS) return millis;
  const detail = '`expires_in` must be a duration from 1m to 30d, for example 24h.';
  throw new DomainError('invalid_request', detail, { errors: [parameterPlace('expires_in', detail)] });
}

/** Returns the pages that the query names. @throws DomainError `invalid_request` */
export function pagesOf({ pages }: FileTextQuery): PageRange[] | undefined {
  const ranges = pages === undefined ? undefined : parsePages(pages);
  if (pages === undefined || ranges) return ranges;
  const detail = '`pages` must name pages from 1, for example 1-3,5.';
  throw new DomainError('invalid_request', detail, { errors: [parameterPlace('pages', detail)] });
}
