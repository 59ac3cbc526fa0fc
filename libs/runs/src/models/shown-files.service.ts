import type { ModelFiles } from '@app/definition';
import {
  assertReadable,
  type FileEntity,
  type FileRun,
  FilesService,
  FileTextsService,
  isTextual,
  RunFilesService,
} from '@app/files';
import { type KnowledgeConfig, knowledgeConfig } from '@app/knowledge';
import { DomainError } from '@app/kernel';
import { type ModelFacts, type ModelsConfig, modelsConfig } from '@app/platform/models';
import { Inject, Injectable } from '@nestjs/common';
import type { FILE_REASONS, FILE_SHOWN } from '../records/file-shown.js';
import type { PromptFile } from '../interpreter/prompt-files.js';

/** As it is recorded in `files` of a model call. `reason` says why it is not shown, or only as text. */
export type ShownFile = {
  file: string;
  shown: (typeof FILE_SHOWN)[number];
  reason?: (typeof FILE_REASONS)[number];
};

/** What a request shows after the name of a file. */
export type FileContent = { text: string; isTruncated: boolean } | { mediaType: string; bytes: Buffer };

export interface ShownFiles {
  readonly facts: readonly ShownFile[];
  /** By the id of the file. A file that is only named has none. */
  readonly contents: ReadonlyMap<string, FileContent>;
}

export const NO_FILES_SHOWN: ShownFiles = { facts: [], contents: new Map() };

export interface FilesToShow {
  workspaceId: string;
  run: FileRun;
  files: readonly PromptFile[];
  mode: ModelFiles;
  input: ModelFacts['input'];
  signal: AbortSignal;
  /** Texts are extracted once for all requests of it. */
  attempt: object;
}

type Shown = Omit<ShownFile, 'file'> & { content?: FileContent };

const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const MAX_TEXT_CHARACTERS = 100_000;

/** Reads the files that a request to a model shows. Nothing is sent before all of them are read. */
@Injectable()
export class ShownFilesService {
  private readonly texts = new WeakMap<object, Map<string, Shown>>();

  constructor(
    private readonly runFiles: RunFilesService,
    private readonly files: FilesService,
    private readonly extraction: FileTextsService,
    @Inject(modelsConfig.KEY) private readonly models: ModelsConfig,
    @Inject(knowledgeConfig.KEY) private readonly knowledge: KnowledgeConfig,
  ) {}

  /**
   * A file that cannot be shown is no failure. Without files, or with the mode `off`, makes no query.
   * @throws DomainError `unavailable` if the storage does not answer; EgressError if the signal is aborted
   */
  async read(request: FilesToShow): Promise<ShownFiles> {
    const { workspaceId, run, files, mode } = request;
    if (mode === 'off')
      return { facts: files.map(({ id }) => ({ file: id, shown: 'no', reason: 'off' })), contents: new Map() };
    const ids = files.map(({ id }) => id);
    const rows = await this.runFiles.usable(workspaceId, run, ids);
    const facts: ShownFile[] = [];
    const contents = new Map<string, FileContent>();
    let bytesLeft = this.models.maxModelFileBytes;
    for (const id of ids) {
      const row = rows.get(id);
      const { content, ...shown } = await this.show(row, request, bytesLeft);
      facts.push({ file: id, ...shown });
      if (content) contents.set(id, content);
      if (content && 'bytes' in content) bytesLeft -= content.bytes.length;
    }
    return { facts, contents };
  }

  private async show(file: FileEntity | undefined, request: FilesToShow, bytesLeft: number): Promise<Shown> {
    if (file?.status !== 'ready') return { shown: 'no', reason: 'missing' };
    try {
      const kind = visibleAs(file, request);
      if (kind && file.bytes <= Math.min(bytesLeft, kind === 'image' ? MAX_IMAGE_BYTES : bytesLeft)) {
        const bytes = await this.files.readWhole(file, bytesLeft);
        return { shown: kind, content: { mediaType: file.contentType, bytes } };
      }
      const shown = await this.knownText(file, request);
      if (!kind) return shown;
      return shown.shown === 'text' || shown.reason === 'type' ? { ...shown, reason: 'too_large' } : shown;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'file_missing') return { shown: 'no', reason: 'missing' };
      throw error;
    }
  }

  private async knownText(file: FileEntity, { attempt, signal }: FilesToShow): Promise<Shown> {
    const known = this.texts.get(attempt) ?? new Map<string, Shown>();
    this.texts.set(attempt, known);
    const shown = known.get(file.id) ?? (await this.asText(file, signal));
    known.set(file.id, shown);
    return shown;
  }

  private async asText(file: FileEntity, signal: AbortSignal): Promise<Shown> {
    const contentType = readableType(file);
    if (contentType === undefined) return { shown: 'no', reason: 'type' };
    const selection = { maxChars: MAX_TEXT_CHARACTERS, maxBytes: this.knowledge.maxUploadBytes, contentType };
    try {
      const { text, isTruncated } = await this.extraction.read(file, selection, signal);
      // A scan has pages without text, of which the model would see nothing.
      if (text.trim() === '' && file.bytes > 0) return { shown: 'no', reason: 'unreadable' };
      return { shown: 'text', content: { text: text.toWellFormed(), isTruncated } };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      if (error.code === 'file_too_large') return { shown: 'no', reason: 'too_large' };
      if (error.code === 'unsupported_media_type') return { shown: 'no', reason: 'unreadable' };
      throw error;
    }
  }
}

function visibleAs({ contentType }: FileEntity, { mode, input }: FilesToShow): 'image' | 'document' | undefined {
  if (mode !== 'auto') return undefined;
  if (IMAGES.has(contentType) && input.includes('image')) return 'image';
  return contentType === 'application/pdf' && input.includes('pdf') ? 'document' : undefined;
}

/** Text of a type that the service cannot read as a document, such as JSON, is shown as it is. */
function readableType(file: FileEntity): string | undefined {
  if (hasText(file)) return file.contentType;
  return isTextual(file.contentType) ? 'text/plain' : undefined;
}

function hasText(file: FileEntity): boolean {
  try {
    assertReadable(file);
    return true;
  } catch {
    return false;
  }
}

/** An image costs about 2 000 tokens. For a document, the estimate is high: 300 000 characters are a long one. */
const IMAGE_CHARACTERS = 6_000;
const MAX_DOCUMENT_CHARACTERS = 300_000;

/** Returns the number of characters that cost about as much as the files. */
export function charactersOf({ contents }: ShownFiles): number {
  return [...contents.values()].reduce((sum, content) => {
    if ('text' in content) return sum + content.text.length;
    const { mediaType, bytes } = content;
    return sum + (IMAGES.has(mediaType) ? IMAGE_CHARACTERS : Math.min(bytes.length >> 2, MAX_DOCUMENT_CHARACTERS));
  }, 0);
}
