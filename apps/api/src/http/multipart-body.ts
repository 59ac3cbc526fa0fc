import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { IncomingContent } from '@app/files';
import { Busboy, type BusboyConfig, type BusboyHeaders } from '@fastify/busboy';
import { DomainError } from '@app/kernel';

export interface MultipartLimits {
  /** Maximum size of one file in bytes. */
  fileBytes: number;
  files: number;
  /** Maximum number of fields, default none. */
  fields?: number;
  fieldBytes?: number;
  /** Encoding of the fields. Default: UTF-8. */
  charset?: string;
}

/** A request, or a body that was read before. */
type FormSource = Readable & Pick<IncomingMessage, 'headers' | 'complete'>;

export interface MultipartFile {
  /** The file name in the part, which may contain a path. */
  name: string;
  contentType: string;
  content: AsyncIterable<Buffer>;
}

interface Part {
  field: string;
  stream: Readable & { truncated?: boolean };
  name: string | undefined;
  contentType: string;
  /** The text of a field. Absent for a file. */
  text?: string;
}

/**
 * Yields the files of a `multipart/form-data` body (RFC 7578) as they arrive. The caller reads a file completely before
 * it asks for the next one.
 * @throws DomainError `invalid_request`, `payload_too_large`
 */
export async function* multipartFiles(
  request: FormSource,
  limits: Pick<MultipartLimits, 'files'>,
): AsyncGenerator<MultipartFile> {
  for await (const part of formParts(request, limits)) {
    if ('text' in part) continue;
    const { filename, contentType = '', source: content } = part.file;
    yield { name: nameOf(filename), contentType, content };
  }
}

/**
 * Returns the file of a `multipart/form-data` body that has exactly one part, the file `file`. Its bytes are read when
 * the caller iterates over them.
 * @throws DomainError `invalid_request`. The iteration throws it if another part follows.
 */
export async function singleFile(request: IncomingMessage): Promise<IncomingContent> {
  const form = new Form(request, { fileBytes: Infinity, files: 2 });
  try {
    const part = await form.next();
    if (part?.field !== 'file') throw notOneFile();
    return { source: contentOf(part, form), filename: part.name ?? '', contentType: part.contentType };
  } catch (error) {
    form.leave();
    throw error;
  }
}

/** A part of a form: a field with its text, or a file. */
export type FormPart = { field: string; text: string } | { field: string; file: IncomingContent };

/**
 * Yields the parts of a form as they arrive. The caller reads a file completely before it asks for the next part.
 * @throws DomainError `invalid_request`, `payload_too_large`
 */
export async function* formParts(
  request: FormSource,
  limits: Omit<MultipartLimits, 'fileBytes'>,
): AsyncGenerator<FormPart> {
  const form = new Form(request, { ...limits, fileBytes: Infinity });
  try {
    for (let part = await form.next(); part; part = await form.next()) {
      const { field, text, stream } = part;
      if (text !== undefined) {
        yield { field, text };
        continue;
      }
      form.broken.catch((error: unknown) => stream.destroy(error as Error));
      const source = stream as AsyncIterable<Buffer>;
      yield { field, file: { source, filename: part.name ?? '', contentType: part.contentType } };
    }
  } finally {
    form.leave();
  }
}

async function* contentOf({ stream }: Part, form: Form): AsyncGenerator<Buffer> {
  form.broken.catch((error: unknown) => stream.destroy(error as Error));
  try {
    yield* stream as AsyncIterable<Buffer>;
    if (await form.next()) throw notOneFile();
  } finally {
    form.leave();
  }
}

function notOneFile(): DomainError {
  return new DomainError('invalid_request', 'The form must have exactly one part: the file `file`.');
}

/** Yields the parts of a form as they arrive. The promise `broken` rejects if the form is invalid or incomplete. */
class Form {
  readonly broken: Promise<never>;
  private break: (error: DomainError) => void = () => undefined;
  private readonly parser: InstanceType<typeof Busboy>;
  private readonly waiting: Part[] = [];
  private isOver = false;
  private wake: () => void = () => undefined;

  constructor(
    private readonly request: FormSource,
    { fileBytes, files, fields = 0, fieldBytes = 0, charset = 'utf8' }: MultipartLimits,
  ) {
    this.broken = new Promise((_, reject) => (this.break = reject));
    // Prevents an unhandled rejection while no caller waits.
    this.broken.catch(() => undefined);
    const limits = { fields: fields + 1, fieldSize: fieldBytes + 1, parts: files + fields + 1, headerPairs: 50 };
    this.parser = parserOf(request, { defCharset: charset, limits: { ...limits, fileSize: fileBytes, files } });
    this.parser.on('file', (field, stream, name: string | undefined, _, contentType) =>
      this.arrived({ field, stream, name, contentType }),
    );
    this.parser.on('field', (field: string, text: string) => {
      if (fields > 0) return this.arrived({ field, text, stream: Readable.from([]), name: undefined, contentType: '' });
      this.fail(
        `The form contains the field ${JSON.stringify(field)}, but it may contain only files. Remove the field.`,
      );
    });
    const tooMany = (): void =>
      this.break(
        new DomainError(
          'payload_too_large',
          `The form contains more than ${files} files. Send the files in several requests.`,
        ),
      );
    this.parser.on('filesLimit', tooMany).on('partsLimit', tooMany);
    this.parser.on('error', (error: unknown) =>
      this.fail(`The form is not a valid multipart/form-data body: ${wordsOf(error)}.`),
    );
    this.parser.on('finish', () => this.arrived(undefined));
    request.on('close', this.ended);
    request.pipe(this.parser);
  }

  /** Returns undefined after the last part. */
  async next(): Promise<Part | undefined> {
    const arrival = new Promise<void>((resolve) => (this.wake = resolve));
    if (this.waiting.length === 0 && !this.isOver) await Promise.race([arrival, this.broken]);
    return this.waiting.shift();
  }

  /** Stops reading, and discards the remaining bytes, so that the client can use the connection again. */
  leave(): void {
    this.request.off('close', this.ended);
    this.request.unpipe(this.parser);
    this.parser.on('error', () => undefined).destroy();
    this.request.resume();
  }

  private readonly ended = (): void => {
    if (!this.request.complete) this.fail('The body ended before the end of the form. Send the request again.');
  };

  private arrived(part: Part | undefined): void {
    // Errors of an interrupted part are ignored, because the form itself reports them.
    part?.stream.on('error', () => undefined);
    if (part) this.waiting.push(part);
    else this.isOver = true;
    this.wake();
  }

  private fail(detail: string): void {
    this.break(new DomainError('invalid_request', detail));
  }
}

function parserOf({ headers }: FormSource, config: Omit<BusboyConfig, 'headers'>): InstanceType<typeof Busboy> {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, preservePath: true, ...config });
  } catch (error) {
    throw new DomainError('invalid_request', `The form is not a valid multipart/form-data body: ${wordsOf(error)}.`);
  }
}

function nameOf(name: string): string {
  if (/^(?=\S)[^\p{Cc}]{1,500}(?<=\S)$/u.test(name)) return name;
  const detail =
    'A file of the form has no valid file name. Send a name of 1 to 500 characters, without spaces around it.';
  throw new DomainError('invalid_request', detail);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
