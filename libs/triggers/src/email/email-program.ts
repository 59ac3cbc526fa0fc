import { type EmailSource, readEmail } from './read-email.js';
import type { ReceivedEmail } from './received-email.js';

export function handle(source: EmailSource): Promise<ReceivedEmail> {
  const { buffer, byteOffset, byteLength } = source.raw;
  return readEmail({ ...source, raw: Buffer.from(buffer, byteOffset, byteLength) });
}
