import { DomainError, errorText } from '@app/kernel';
import { DocumentError, ExtractionService, mediaKind, type PageRange } from '@app/platform/extraction';
import { Injectable } from '@nestjs/common';
import { FileContentsService } from './content/file-contents.service.js';
import type { FileEntity } from './records/file.entity.js';

export interface TextSelection {
  /** Pages of a PDF. Undefined means all. */
  pages?: readonly PageRange[] | undefined;
  maxChars: number;
  maxBytes: number;
  /** Replaces the type of the file. */
  contentType?: string;
}

export interface FileText {
  text: string;
  /** Null for other types. */
  pages: number | null;
  isTruncated: boolean;
}

/** The ending of a name does not say that such bytes are text. */
const UNKNOWN_TYPE = 'application/octet-stream';

@Injectable()
export class FileTextsService {
  constructor(
    private readonly contents: FileContentsService,
    private readonly extraction: ExtractionService,
  ) {}

  /**
   * While the file is read, this process holds its bytes.
   * @throws DomainError `unsupported_media_type` if the type has no text, or the file is broken or protected;
   * `file_too_large`, `file_missing`, `unavailable`
   */
  async read(file: FileEntity, selection: TextSelection, signal: AbortSignal): Promise<FileText> {
    const { filename: url } = file;
    const { pages, maxChars, maxBytes, contentType = file.contentType } = selection;
    assertReadable({ contentType, filename: url });
    const bytes = await this.contents.readWhole(file, maxBytes);
    try {
      const request = { bytes, contentType, url, acceptsEmpty: true, ...(pages && { pages }) };
      const read = await this.extraction.extract(request, signal);
      const text = firstChars(read.text, maxChars);
      return { text, pages: read.pages ?? null, isTruncated: text.length < read.text.length };
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      throw new DomainError('unsupported_media_type', errorText(error), { cause: error });
    }
  }
}

/** @throws DomainError `unsupported_media_type` if the type of the file has no text that can be read */
export function assertReadable({ contentType, filename }: Pick<FileEntity, 'contentType' | 'filename'>): void {
  if (contentType !== UNKNOWN_TYPE && mediaKind(contentType, filename) !== undefined) return;
  throw new DomainError('unsupported_media_type', `A file of the type ${contentType} has no text that can be read.`);
}

function firstChars(text: string, most: number): string {
  if (text.length <= most) return text;
  const isSplit = /[\uD800-\uDBFF]/.test(text.charAt(most - 1));
  return text.slice(0, isSplit ? most - 1 : most);
}
