import { Readable } from 'node:stream';
import { type FileEntity, FileUploadsService, MAX_RUN_FILES, type ReceivedFile, RunFilesService } from '@app/files';
import type { JsonValue } from '@app/kernel';
import { type RunIntakeConfig, runIntakeConfig } from '@app/runs';
import { Inject, Injectable } from '@nestjs/common';
import { parseSentBody, type SentBody } from './form-body.js';
import { allowLongBody } from './http-server-limits.js';
import { assertStorable } from './json-body.js';
import { type FormPart, formParts } from './multipart-body.js';
import { assertPlain, hasBody, parseMediaType, readBytes } from './request-body.js';
import type { ApiRequest } from './request-context.js';
import { SentForm } from './sent-form.js';

const MULTIPART = 'multipart/form-data';
const MAX_FIELDS = 1_000;

interface SentRequest {
  request: ApiRequest;
  /** The body, if it had to be read before. Otherwise, a form may have files beyond MAX_INPUT_BYTES. */
  bytes?: Buffer | undefined;
  workspaceId: string;
  /** Of the files of a form. */
  source: ReceivedFile['source'];
}

export interface ReceivedBody {
  body: SentBody;
  /** The files of a form, by id. */
  files: ReadonlyMap<string, FileEntity>;
  /** The body with hashes instead of files, which is equal if the same body is sent again. */
  comparable: JsonValue;
}

/** Receives bodies from outside, and stores the files of forms. Only for senders that have proven who they are. */
@Injectable()
export class SentBodiesService {
  constructor(
    private readonly uploads: FileUploadsService,
    private readonly files: RunFilesService,
    @Inject(runIntakeConfig.KEY) private readonly config: RunIntakeConfig,
  ) {}

  /**
   * Afterwards, deletes the files of a form to which no run refers.
   * @throws DomainError the errors of {@link parseSentBody}, of files, and of `use`; `rate_limited` if too many forms
   * arrive at the same time
   */
  async receive<T>(sent: SentRequest, use: (received: ReceivedBody) => Promise<T>): Promise<T> {
    const { request, bytes, workspaceId } = sent;
    const { maxInputBytes } = this.config;
    if (!isMultipart(request) || !hasBody(request)) {
      const body = parseSentBody(request, bytes ?? (await readBytes(request, maxInputBytes)));
      return use({ body, files: new Map(), comparable: body });
    }
    return this.uploads.takingPlace(async () => {
      const form = new SentForm(maxInputBytes);
      const body = await this.receiveForm(sent, form).catch(async (error: unknown) => {
        await this.files.discard(workspaceId, form.ids);
        throw error;
      });
      return this.files.keepingReferred(workspaceId, form.ids, () =>
        use({ body, files: form.files, comparable: form.comparable() }),
      );
    });
  }

  private async receiveForm({ request, bytes, ...about }: SentRequest, form: SentForm): Promise<SentBody> {
    assertPlain(request);
    if (!bytes) allowLongBody(request);
    const { headers } = request;
    const whole = bytes && Object.assign(Readable.from([bytes]), { headers, complete: true });
    const { charset } = parseMediaType(headers['content-type']) ?? {};
    const limits = { files: MAX_RUN_FILES, fields: MAX_FIELDS, fieldBytes: this.config.maxInputBytes };
    for await (const part of formParts(whole ?? request, { ...limits, ...(charset !== undefined && { charset }) })) {
      if ('text' in part) form.addField(part.field, part.text);
      else await this.receiveFile(part, about, form);
    }
    return assertStorable(form.object());
  }

  private async receiveFile(
    { field, file }: Extract<FormPart, { file: unknown }>,
    { workspaceId, source }: Pick<SentRequest, 'workspaceId' | 'source'>,
    form: SentForm,
  ): Promise<void> {
    const { filename, contentType = '' } = file;
    const kept = new KeptContent(file.source, form.room);
    const received = { source, filename, declaredContentType: contentType, stream: kept };
    const row = await this.files.store(workspaceId, received);
    form.addFile(field, row, { contentType, isNamed: filename !== '' }, kept.content);
  }
}

export function isMultipart({ headers }: Pick<ApiRequest, 'headers'>): boolean {
  return parseMediaType(headers['content-type'])?.essence === MULTIPART;
}

/** Keeps the bytes that pass through, unless they are more than `room`. */
class KeptContent implements AsyncIterable<Buffer> {
  private chunks: Buffer[] | undefined = [];

  constructor(
    private readonly source: AsyncIterable<Buffer>,
    private room: number,
  ) {}

  get content(): Buffer | undefined {
    return this.chunks && Buffer.concat(this.chunks);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for await (const chunk of this.source) {
      this.room -= chunk.length;
      if (this.room < 0) this.chunks = undefined;
      this.chunks?.push(chunk);
      yield chunk;
    }
  }
}
