import { createHash } from 'node:crypto';
import { FILE_TEXT_CHARS, type FilesTool } from '@app/definition';
import { type FileEntity, FilesService, FileTextsService, fileValueOf, isFileValue, RunFilesService } from '@app/files';
import { Clock, DomainError, type JsonObject, type JsonValue, parseDuration } from '@app/kernel';
import { type KnowledgeConfig, knowledgeConfig } from '@app/knowledge';
import { parsePages } from '@app/platform/extraction';
import { EgressError } from '@app/platform/egress';
import { Inject, Injectable } from '@nestjs/common';
import { summaryText } from '../calls/recorded-value.js';
import { type PreparedCall, refused, type ToolCallResult } from '../calls/tool-call.js';
import { isRunErrorCode } from '../interpreter/run-error.js';
import { largestBase64 } from './argument-files.service.js';
import { FileLinkTokensService } from './file-link-tokens.service.js';
import { readFileValue, UnusableFile } from './file-value.js';
import { type RecordedAnswersConfig, recordedAnswersConfig } from './recorded-answers.config.js';
import { windowsOf } from './received-files.service.js';
import { orLater } from './sent-files.service.js';
import type { ToolAdapter } from './tool-adapter.js';
import { UnusableRequest } from './unusable-request.js';

const MINUTE_MILLIS = 60_000;
const MAX_LINK_MILLIS = 24 * 60 * MINUTE_MILLIS;
const DEFAULT_LINK_MILLIS = 60 * MINUTE_MILLIS;

/**
 * The built-in tool `files`. Its calls have no effect outside the service. Each write takes effect once, even if its call
 * is repeated: the id of a new file and the token of a link follow from the key of the call.
 */
@Injectable()
export class FilesToolAdapter implements ToolAdapter<FilesTool> {
  constructor(
    private readonly runFiles: RunFilesService,
    private readonly files: FilesService,
    private readonly texts: FileTextsService,
    private readonly links: FileLinkTokensService,
    private readonly clock: Clock,
    @Inject(knowledgeConfig.KEY) private readonly knowledge: KnowledgeConfig,
    @Inject(recordedAnswersConfig.KEY) private readonly config: RecordedAnswersConfig,
  ) {}

  async call(_tool: FilesTool, call: PreparedCall): Promise<ToolCallResult> {
    if (!call.mayStart()) return { kind: 'not_started' };
    try {
      const output = await orLater(() => this.outputOf(call));
      return {
        kind: 'answered',
        output,
        response: { body: output },
        detail: { response_summary: summaryText(output) },
      };
    } catch (error) {
      const { fullName } = call.operation;
      if (error instanceof EgressError) return { kind: 'not_started' };
      if (error instanceof UnusableRequest) return error.asResult(`${fullName}: `);
      if (!(error instanceof DomainError)) throw error;
      return refused(`${fullName}: ${error.message}`, isRunErrorCode(error.code) ? error.code : 'tool_error');
    }
  }

  private async outputOf(call: PreparedCall): Promise<JsonObject> {
    switch (call.operation.name) {
      case 'text':
        return this.text(call);
      case 'create':
        return this.create(call);
      case 'link':
        return this.link(call);
      case 'get':
        return this.get(call);
      default:
        return this.base64(call);
    }
  }

  private async text(call: PreparedCall): Promise<JsonObject> {
    const { pages: given, max_chars: chars } = call.request;
    const pages = typeof given === 'string' ? parsePages(given) : undefined;
    if (given !== undefined && !pages) throw new UnusableRequest('`pages` must name pages from 1, for example 1-3,5.');
    const maxChars = typeof chars === 'number' ? chars : FILE_TEXT_CHARS.default;
    const selection = { pages, maxChars, maxBytes: this.knowledge.maxUploadBytes };
    const { text, pages: count, isTruncated } = await this.texts.read(await this.fileOf(call), selection, call.signal);
    return { text, pages: count, truncated: isTruncated };
  }

  private async create({ workspaceId, idempotencyKey, origin, request }: PreparedCall): Promise<JsonObject> {
    const content = contentOf(request);
    const file = await this.runFiles.store(workspaceId, {
      writeKey: createHash('sha256').update(`${workspaceId}/${idempotencyKey}`).digest(),
      source: { type: 'run', run: origin.runId, step: origin.step },
      filename: typeof request.filename === 'string' ? request.filename : '',
      declaredContentType: typeof request.content_type === 'string' ? request.content_type : content.type,
      stream: windowsOf(content.bytes),
      announcedBytes: content.bytes.length,
    });
    return { ...fileValueOf(file) };
  }

  private async link(call: PreparedCall): Promise<JsonObject> {
    const { workspaceId, idempotencyKey, request, mode } = call;
    const { expires_in: given } = request;
    const millis = typeof given === 'string' ? (parseDuration(given) ?? 0) : DEFAULT_LINK_MILLIS;
    if (millis < MINUTE_MILLIS || millis > MAX_LINK_MILLIS)
      throw new UnusableRequest('`expires_in` must be a duration from 1m to 24h, for example 1h.');
    const file = await this.fileOf(call);
    const expiresAt = new Date(this.clock.now().getTime() + millis);
    const expires_at = expiresAt.toISOString();
    if (mode === 'test') return { url: this.links.urlOf('simulated'), expires_at, simulated: true };
    return { url: await this.links.create(workspaceId, idempotencyKey, file.id, expiresAt), expires_at };
  }

  private async get(call: PreparedCall): Promise<JsonObject> {
    const file = await this.fileOf(call);
    const { sourceRun: run, sourceStep: step } = file;
    const source = { type: file.source, ...(run !== null && { run }), ...(step !== null && { step }) };
    return { ...fileValueOf(file), declared_content_type: file.declaredContentType, source };
  }

  private async base64(call: PreparedCall): Promise<JsonObject> {
    const file = await this.fileOf(call);
    const { filename, contentType, bytes } = file;
    const content = await this.files.readWhole(file, largestBase64(this.config.maxRecordedBytes));
    return { base64: content.toString('base64'), filename, content_type: contentType, bytes };
  }

  private async fileOf({ workspaceId, fileRun, request }: PreparedCall): Promise<FileEntity> {
    const id = idOf(request.file);
    if (id === undefined) throw new UnusableRequest('`file` must be a file or its id.');
    if (!fileRun) throw new UnusableRequest('A call outside a run can use no stored file.', 'file_missing');
    const [file] = await this.runFiles.resolve(workspaceId, fileRun, [id]);
    if (!file) throw new UnusableRequest(`There is no file ${id}.`, 'file_missing');
    return file;
  }
}

function idOf(file: JsonValue | undefined): string | undefined {
  const value = typeof file === 'string' ? { file } : file;
  return isFileValue(value) ? value.file : undefined;
}

interface NewContent {
  bytes: Buffer;
  /** Type that the form of the content implies. */
  type: string | undefined;
}

function contentOf({ text, json, base64 }: JsonObject): NewContent {
  if (json !== undefined) return { bytes: Buffer.from(JSON.stringify(json)), type: 'application/json' };
  try {
    const { content } = readFileValue(typeof text === 'string' ? { text } : { base64: base64 ?? null });
    if (Buffer.isBuffer(content)) return { bytes: content, type: undefined };
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
  }
  throw new UnusableRequest('`base64` is not valid base64.');
}
