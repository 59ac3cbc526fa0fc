import { invariant } from '@app/kernel';
import type { AttachmentPiece } from './email-attachments.js';
import { beginReading, type EmailReading, type EmailSettings } from './read-email.js';
import type { ParsedEmail } from './received-email.js';

/** The process reads one mail at a time. A mail that was not finished is forgotten with the next one. */
let reading: EmailReading | undefined;

export async function begin(settings: EmailSettings): Promise<void> {
  reading = await beginReading(settings);
}

export function feed({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>): Promise<AttachmentPiece[]> {
  return current().feed(Buffer.from(buffer, byteOffset, byteLength));
}

export function finish(): Promise<{ pieces: AttachmentPiece[]; email: ParsedEmail }> {
  return current().finish();
}

function current(): EmailReading {
  invariant(reading, 'a mail was begun');
  return reading;
}
