import type { FileForm } from '@app/definition';
import { type FileEntity, FilesService, RunFilesService } from '@app/files';
import { Clock, isFileValue, type JsonObject, type JsonValue } from '@app/kernel';
import { Inject, Injectable } from '@nestjs/common';
import type { PreparedCall } from '../calls/tool-call.js';
import { FileLinkTokensService } from './file-link-tokens.service.js';
import { type RecordedAnswersConfig, recordedAnswersConfig } from './recorded-answers.config.js';
import { orLater } from './sent-files.service.js';
import { UnusableRequest } from './unusable-request.js';

const LINK_MILLIS = 60 * 60_000;

/** Returns the size of the largest file whose base64 is not longer than `maxRecordedBytes`. */
export function largestBase64(maxRecordedBytes: number): number {
  return Math.floor((maxRecordedBytes / 4) * 3);
}

/**
 * Puts what an MCP server expects in place of the files of a request: base64, or a link of one hour. The token of a link
 * follows from the key of the call, so all attempts send the same link.
 */
@Injectable()
export class ArgumentFilesService {
  constructor(
    private readonly runFiles: RunFilesService,
    private readonly files: FilesService,
    private readonly links: FileLinkTokensService,
    private readonly clock: Clock,
    @Inject(recordedAnswersConfig.KEY) private readonly config: RecordedAnswersConfig,
  ) {}

  /**
   * @throws UnusableRequest `file_missing`; StorageAway; DomainError `file_too_large`
   */
  async argumentsOf(call: PreparedCall): Promise<JsonObject> {
    const { fileArguments = {} } = call.operation;
    const args = { ...call.request };
    for (const [name, form] of Object.entries(fileArguments)) {
      const given = args[name];
      if (given === undefined) continue;
      args[name] = Array.isArray(given)
        ? await Promise.all(given.map((item, at) => this.argument(item, form, `${name}/${at}`, call)))
        : await this.argument(given, form, name, call);
    }
    return args;
  }

  private async argument(value: JsonValue, form: FileForm, place: string, call: PreparedCall): Promise<JsonValue> {
    if (!isFileValue(value)) return value;
    const { file: id } = value;
    return orLater(async () => {
      const file = await this.fileOf(id, call);
      return form === 'url' ? this.linkTo(file, place, call) : this.base64Of(file);
    });
  }

  private async fileOf(id: string, { workspaceId, fileRun }: PreparedCall): Promise<FileEntity> {
    const [file] = fileRun ? await this.runFiles.resolve(workspaceId, fileRun, [id]) : [];
    if (!file) throw new UnusableRequest('A call outside a run can send no stored file.', 'file_missing');
    return file;
  }

  private async base64Of(file: FileEntity): Promise<string> {
    const content = await this.files.readWhole(file, largestBase64(this.config.maxRecordedBytes));
    return content.toString('base64');
  }

  private async linkTo(file: FileEntity, place: string, call: PreparedCall): Promise<string> {
    const { workspaceId, idempotencyKey, redaction } = call;
    const expiresAt = new Date(this.clock.now().getTime() + LINK_MILLIS);
    const recorded = await this.links.create(workspaceId, `${idempotencyKey}/${place}`, file.id, expiresAt);
    const { value: url, tokens } = this.links.revealed(workspaceId, recorded);
    redaction.add(...tokens);
    return url;
  }
}
