import { Inject, Injectable } from '@nestjs/common';
import { type FileEntity, FileUploadsService, fileValueOf, MAX_RUN_FILES, RunFilesService } from '@app/files';
import { DomainError, type JsonObject, type JsonValue } from '@app/kernel';
import { type RunEntity, type RunIntakeConfig, runIntakeConfig, RunIntakeService } from '@app/runs';
import type { Principal } from '@app/workspace';
import { allowLongBody } from '../http/http-server-limits.js';
import { parseJsonObject } from '../http/json-body.js';
import { type FormPart, formParts } from '../http/multipart-body.js';
import { assertPlain, tooLarge } from '../http/request-body.js';
import type { ApiRequest } from '../http/request-context.js';
import type { ClaimOf } from '../http/request-decorators.js';
import { validateRequest } from '../http/request-validation.js';
import { startRequest } from './run-starts.js';
import { StartRunBody } from './runs.api.js';
import { StartForm } from './start-body.pipe.js';

/** The parts of a form that are no files. */
const FIELDS = ['input', 'version', 'mode'];

/** A file of a form, and the member of the input that it becomes. */
interface SentFile {
  member: string;
  isList: boolean;
  file: FileEntity;
}

interface SentForm {
  fields: Map<string, string>;
  files: SentFile[];
}

/** Starts runs, also those whose files are sent in the same request, as a form. */
@Injectable()
export class FormStartsService {
  constructor(
    private readonly intake: RunIntakeService,
    private readonly uploads: FileUploadsService,
    private readonly files: RunFilesService,
    @Inject(runIntakeConfig.KEY) private readonly config: RunIntakeConfig,
  ) {}

  /**
   * A repeated request gets the run of the first one, and the bytes of a form are dropped.
   * @throws DomainError `invalid_request`, `payload_too_large`, the errors of files and those of
   * {@link RunIntakeService.startRun}. Then no file stays.
   */
  start(
    principal: Principal,
    agentId: string,
    body: StartRunBody | StartForm,
    claimOf: ClaimOf,
  ): Promise<{ run: RunEntity; replayed: boolean }> {
    if (!(body instanceof StartForm)) return this.intake.startRun(startRequest(principal, agentId, body, claimOf));
    const { request } = body;
    return this.uploads.takingPlace(async () => {
      const form: SentForm = { fields: new Map(), files: [] };
      const { workspaceId } = principal;
      const idsOf = (): string[] => form.files.map(({ file }) => file.id);
      await this.receive(principal, request, form).catch(async (error: unknown) => {
        await this.files.discard(workspaceId, idsOf());
        throw error;
      });
      return this.files.keepingReferred(workspaceId, idsOf(), () => this.startWith(principal, agentId, form, claimOf));
    });
  }

  private startWith(
    principal: Principal,
    agentId: string,
    { fields, files }: SentForm,
    claimOf: ClaimOf,
  ): Promise<{ run: RunEntity; replayed: boolean }> {
    const version = fields.get('version');
    const mode = fields.get('mode');
    const plain = {
      input: parseJsonObject(fields.get('input') ?? '{}'),
      ...(version !== undefined && { version: /^\d+$/.test(version) ? Number(version) : version }),
      ...(mode !== undefined && { mode }),
    };
    const body = validateRequest(StartRunBody, plain, 'body');
    const claimOfForm: ClaimOf = (content) =>
      claimOf(typeof content === 'string' ? content : { ...content, files: ordered(files) });
    const start = startRequest(principal, agentId, body, claimOfForm);
    const input = withFiles(body.input, files);
    return this.intake.startRun({ ...start, input, files: new Map(files.map(({ file }) => [file.id, file])) });
  }

  private async receive(principal: Principal, request: ApiRequest, form: SentForm): Promise<void> {
    assertPlain(request);
    allowLongBody(request);
    const { maxInputBytes } = this.config;
    const limits = { files: MAX_RUN_FILES + 1, fields: FIELDS.length, fieldBytes: maxInputBytes };
    for await (const part of formParts(request, limits)) {
      if (FIELDS.includes(part.field)) await this.takeField(part, form);
      else await this.takeFile(principal, part, form);
    }
  }

  private async takeField(part: FormPart, { fields }: SentForm): Promise<void> {
    const { field } = part;
    if (fields.has(field)) throw wrongPart(field, 'is there twice. Send it once.');
    const { maxInputBytes } = this.config;
    const text = 'text' in part ? part.text : await textOf(part.file.source, maxInputBytes);
    if (Buffer.byteLength(text) > maxInputBytes) throw tooLarge(maxInputBytes, field);
    fields.set(field, text);
  }

  private async takeFile({ workspaceId, email }: Principal, part: FormPart, { files }: SentForm): Promise<void> {
    const { field } = part;
    if ('text' in part) throw wrongPart(field, `is no file. Other parts than files are ${FIELDS.join(', ')}.`);
    const isList = field.endsWith('[]');
    const member = isList ? field.slice(0, -2) : field;
    if (member === '') throw wrongPart(field, 'has no name. Name it like the member of the input.');
    if (files.some((sent) => sent.member === member && !(isList && sent.isList)))
      throw wrongPart(field, `is there twice. Name the files of a list \`${member}[]\`.`);
    if (files.length === MAX_RUN_FILES) {
      const detail = `A run may use at most ${MAX_RUN_FILES} files.`;
      throw new DomainError('payload_too_large', detail);
    }
    const { source: stream, filename, contentType: declaredContentType } = part.file;
    const received = { source: { type: 'upload' }, filename, declaredContentType, stream, createdBy: email } as const;
    files.push({ member, isList, file: await this.files.store(workspaceId, received) });
  }
}

/** The order of files counts only within one member. */
function ordered(files: readonly SentFile[]): JsonObject[] {
  return [...files].sort((a, b) => (a.member < b.member ? -1 : Number(a.member > b.member))).map(fingerprint);
}

function fingerprint({ member, isList, file }: SentFile): JsonObject {
  const { sha256, filename, declaredContentType } = file;
  return { member, list: isList, sha256, filename, content_type: declaredContentType };
}

/** @throws DomainError `invalid_request` if the input has one of the members */
function withFiles(input: JsonObject, files: readonly SentFile[]): JsonObject {
  const members = new Map<string, JsonValue>();
  for (const { member, isList, file } of files) {
    if (Object.hasOwn(input, member)) throw wrongPart(member, 'is also a member of `input`. Send it only once.');
    const value = fileValueOf(file);
    const before = members.get(member);
    members.set(member, isList ? [...(Array.isArray(before) ? before : []), value] : value);
  }
  return { ...input, ...Object.fromEntries(members) };
}

async function textOf(source: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > limit) throw tooLarge(limit, 'input');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function wrongPart(field: string, problem: string): DomainError {
  return new DomainError('invalid_request', `The part ${JSON.stringify(field)} of the form ${problem}`);
}
