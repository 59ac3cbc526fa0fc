import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { type FileEntity, RunFilesService } from '@app/files';
import { DomainError } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { EventFiles } from '../trigger-intake.service.js';
import type { AttachmentPiece } from './email-attachments.js';
import { type ArrivedSource, type AttachmentReceiver, EmailReaderService } from './email-reader.service.js';
import { UnreadableEmail } from './read-email.js';
import type { EmailAttachment, ParsedEmail, ReceivedEmail } from './received-email.js';

const ADDED = ['file', 'status', 'detected_content_type'];

/** A mail as one agent gets it. */
interface EmailWithFiles {
  email: ReceivedEmail;
  arrived: EventFiles;
  /** Set if the files of the workspace leave no room for the attachments. */
  refusal: DomainError | undefined;
}

/** Reads mails, and stores their attachments. Every run has files of its own, so each agent reads the mail again. */
@Injectable()
export class EmailFilesService {
  constructor(
    private readonly reader: EmailReaderService,
    private readonly files: RunFilesService,
  ) {}

  open(source: ArrivedSource): OpenEmail {
    return new OpenEmail(source, this.reader, this.files);
  }
}

/** A mail that has arrived. It is read once if it has no attachments or cannot be read. */
export class OpenEmail {
  private known: ParsedEmail | UnreadableEmail | undefined;

  constructor(
    private readonly source: ArrivedSource,
    private readonly reader: EmailReaderService,
    private readonly files: RunFilesService,
  ) {}

  /**
   * Stores the attachments before `use`, and afterwards deletes those to which no run refers.
   * @throws UnreadableEmail, and DomainError `unavailable` if no process can read the mail or the storage or the scanner
   * does not answer
   */
  async receive<T>(workspaceId: string, use: (received: EmailWithFiles) => Promise<T>): Promise<T> {
    const attachments = new StoredAttachments(workspaceId, this.files);
    const parsed = await this.read(attachments).catch(async (error: unknown) => {
      await attachments.abandon();
      throw error;
    });
    const { files, refusal } = attachments;
    const received = { email: withFiles(parsed, attachments), arrived: { files, added: ADDED }, refusal };
    return this.files.keepingReferred(workspaceId, [...files.keys()], () => use(received));
  }

  private async read(attachments: StoredAttachments): Promise<ParsedEmail> {
    if (this.known instanceof UnreadableEmail) throw this.known;
    if (this.known) return this.known;
    try {
      const email = await this.reader.read(this.source, attachments);
      if (email.view.attachments.length === 0) this.known = email;
      return email;
    } catch (error) {
      if (error instanceof UnreadableEmail) this.known = error;
      throw error;
    }
  }
}

type Stored = Pick<EmailAttachment, 'file' | 'status' | 'detected_content_type'>;

const NOT_STORED: Readonly<Record<string, EmailAttachment['status']>> = {
  file_too_large: 'too_large',
  file_refused: 'refused',
};

/** Stores attachments while they are decoded, one after the other. */
class StoredAttachments implements AttachmentReceiver {
  readonly files = new Map<string, FileEntity>();
  refusal: DomainError | undefined;
  private readonly stored: Stored[] = [];
  private arriving: ArrivingFile | undefined;

  constructor(
    private readonly workspaceId: string,
    private readonly service: RunFilesService,
  ) {}

  /** Returns how the attachment at this position was stored. */
  at(position: number): Stored {
    return this.stored[position] ?? { file: null, status: 'too_large', detected_content_type: null };
  }

  begin(): Promise<void> {
    return this.abandon();
  }

  async take({ begins, bytes, ends }: AttachmentPiece): Promise<void> {
    if (begins && !this.refusal) this.arriving = new ArrivingFile(this.workspaceId, this.service, begins);
    if (bytes) await this.arriving?.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    if (!ends || !this.arriving) return;
    const outcome = await this.arriving.end();
    this.arriving = undefined;
    this.record(outcome);
  }

  /** Deletes everything that was stored. */
  async abandon(): Promise<void> {
    await this.arriving?.abandon();
    this.arriving = undefined;
    const ids = [...this.files.keys()];
    this.files.clear();
    this.stored.length = 0;
    if (ids.length > 0) await this.service.discard(this.workspaceId, ids);
  }

  private record(outcome: FileEntity | DomainError): void {
    if (!(outcome instanceof DomainError)) {
      this.files.set(outcome.id, outcome);
      this.stored.push({ file: outcome.id, status: 'ready', detected_content_type: outcome.contentType });
      return;
    }
    const status = NOT_STORED[outcome.code];
    if (status !== undefined) this.stored.push({ file: null, status, detected_content_type: null });
    else if (outcome.code === 'file_quota_exceeded') this.refusal = outcome;
    else throw outcome;
  }
}

/** A file that is stored while its bytes arrive. */
class ArrivingFile {
  private readonly pipe = new PassThrough();
  private readonly outcome: Promise<FileEntity | DomainError>;
  private hasEnded = false;

  constructor(
    workspaceId: string,
    files: RunFilesService,
    { name, contentType }: { name: string; contentType: string },
  ) {
    // If the storage stops reading, the outcome says why.
    this.pipe.on('error', () => undefined);
    const file = { filename: name, declaredContentType: contentType, stream: this.pipe };
    this.outcome = files
      .store(workspaceId, { ...file, source: { type: 'email' } })
      .catch((error: unknown) => {
        if (error instanceof DomainError) return error;
        return new DomainError('unavailable', 'An attachment of the mail cannot be stored at the moment.', {
          cause: error,
        });
      })
      .finally(() => (this.hasEnded = true));
  }

  async write(bytes: Buffer): Promise<void> {
    if (this.hasEnded || this.pipe.write(bytes)) return;
    await Promise.race([once(this.pipe, 'drain').catch(() => undefined), this.outcome]);
  }

  end(): Promise<FileEntity | DomainError> {
    this.pipe.end();
    return this.outcome;
  }

  async abandon(): Promise<void> {
    this.pipe.destroy(new DomainError('unavailable', 'The mail could not be read to its end.'));
    await this.outcome;
  }
}

/** The scanner may have rejected the content of an attachment, so it is shown only if the attachment is stored. */
function withFiles({ view, ...email }: ParsedEmail, stored: StoredAttachments): ReceivedEmail {
  const attachments = view.attachments.map((parsed, position): EmailAttachment => {
    const outcome = stored.at(position);
    return { ...parsed, ...(outcome.status !== 'ready' && { encoding: null, content: null }), ...outcome };
  });
  const truncated = view.truncated || attachments.some(({ encoding }) => encoding === null);
  return { ...email, view: { ...view, attachments, truncated } };
}
