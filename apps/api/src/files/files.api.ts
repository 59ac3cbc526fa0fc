import { ApiSchema } from '@nestjs/swagger';
import { FILE_TEXT_CHARS } from '@app/definition';
import {
  FILE_SOURCES,
  FILE_STATUSES,
  type FileEntity,
  type FileFilter,
  type FileRights,
  type FileSource,
  type FileStatus,
} from '@app/files';
import { DomainError, isId, type JsonObject, parameterPlace, parseDuration } from '@app/kernel';
import type { Principal } from '@app/workspace';
import { type PageRange, parsePages } from '@app/platform/extraction';
import { Flag, Id, Nested, OneOf, Text, TimeParameter, Timestamp, Whole } from '../http/fields.js';
import { PageQuery } from '../http/list-pages.service.js';

const MINUTE_MILLIS = 60_000;
const MAX_LIFETIME_MILLIS = 30 * 24 * 3_600_000;

export class ListFilesQuery extends PageQuery {
  @OneOf(FILE_SOURCES, { optional: true, description: 'Lists only files that came in this way.' })
  source?: FileSource;

  @Id('run', { optional: true, description: 'Lists only files to which this run refers.' })
  run?: string;

  @TimeParameter({ optional: true, description: 'Lists only files that were created at this time or later.' })
  since?: Date;
}

export function fileFilter({ run, source, since }: ListFilesQuery): FileFilter {
  return {
    ...(run !== undefined && { run }),
    ...(source !== undefined && { source }),
    ...(since !== undefined && { since }),
  };
}

export function cursorFilters({ run, source, since }: ListFilesQuery): JsonObject {
  return { run: run ?? null, source: source ?? null, since: since?.toISOString() ?? null };
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

const REVEAL = {
  optional: true,
  default: false,
  description:
    '`true` shows a file that a run redacts. Requires the scope `runs:reveal`. The audit log records the access.',
} as const;

export class RevealFileQuery {
  @Flag(REVEAL) reveal = false;
}

export class ListRunFilesQuery extends PageQuery {
  @Flag(REVEAL) reveal = false;
}

export class FileTextQuery extends RevealFileQuery {
  @Text({ optional: true, description: 'Pages of a PDF, counted from 1. Default: all.', example: '1-3,5' })
  pages?: string;

  @Whole({
    optional: true,
    minimum: 1,
    maximum: FILE_TEXT_CHARS.max,
    default: FILE_TEXT_CHARS.default,
    description: 'Maximum number of characters.',
    example: 20_000,
  })
  max_chars = FILE_TEXT_CHARS.default;
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
  @Id('run', { optional: true, description: 'The run that received the file.' }) run?: string;
  @Text({ optional: true, description: 'Path of the step that received the file.', example: 'fetch' }) step?: string;
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
  @Id('run', { list: true, description: 'The newest 20 runs that refer to the file and that you may read.' })
  runs: string[];
  @Timestamp({
    nullable: true,
    description:
      'Time from which the file counts as deleted; null if it has none, or while a run that has not ended refers to the file.',
  })
  expires_at: string | null;
  @Timestamp({ description: 'Time of creation.' }) created_at: string;
  @Text({
    nullable: true,
    description: 'E-mail address of the member who uploaded the file; null if no member did.',
    example: 'ada@example.com',
  })
  created_by: string | null;
}

@ApiSchema({ name: 'RunFile', description: 'A place at which a run refers to a file.' })
export class RunFileResource {
  @Nested(FileResource, { description: 'The file.' }) file: FileResource;
  @Text({
    nullable: true,
    description: 'Path of the step; null for the input and the output of the run.',
    example: 'fetch',
  })
  step: string | null;
  @Text({ description: 'The place, as in `redact.paths`.', example: 'steps.fetch.output' }) path: string;
}

/** Who reads a file. Without rights, no run refers to the file yet. */
export interface FileReading {
  caller: Principal;
  rights: FileRights | undefined;
  reveal: boolean;
}

const HIDDEN = '[redacted]';
const MAX_RUNS = 20;

export function presentFile(file: FileEntity, { caller, rights, reveal }: FileReading): FileResource {
  const isHidden = rights?.isRedacted === true && !reveal;
  const runs = caller.scopes.has('runs:read')
    ? (rights?.references ?? []).flatMap(({ runId }) => (isId('run', runId) ? [runId] : []))
    : [];
  return {
    id: file.id,
    filename: isHidden ? HIDDEN : file.filename,
    content_type: file.contentType,
    declared_content_type: isHidden && file.declaredContentType !== null ? HIDDEN : file.declaredContentType,
    bytes: file.bytes,
    sha256: isHidden ? HIDDEN : file.sha256,
    status: file.status,
    source: {
      type: file.source,
      ...(file.sourceRun !== null && { run: file.sourceRun }),
      ...(file.sourceStep !== null && { step: file.sourceStep }),
    },
    runs: [...new Set(runs)].slice(0, MAX_RUNS),
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
