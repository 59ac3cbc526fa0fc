import type { OpenAPIObject } from '@nestjs/swagger';
import { byteText, hourText } from '@app/kernel';
import type { Env } from '@app/platform/config';

type Limits = Pick<Env, 'definitionLimits' | 'maxInputBytes' | 'maxUploadBytes' | 'idempotencyMillis' | 'cursorMillis'>;

/** What stands in descriptions for a limit that the operator sets: decorators are written before it is known. */
export const LIMIT_WORDS = {
  definition: '%definition-limit%',
  input: '%input-limit%',
  upload: '%upload-limit%',
  idempotency: '%idempotency-limit%',
  cursor: '%cursor-limit%',
} as const;

/** The document with each of {@link LIMIT_WORDS} in its descriptions replaced by what this installation allows. */
export function withConfiguredLimits(
  document: OpenAPIObject,
  { definitionLimits, maxInputBytes, maxUploadBytes, idempotencyMillis, cursorMillis }: Limits,
): OpenAPIObject {
  const words = new Map<string, string>([
    [LIMIT_WORDS.definition, byteText(definitionLimits.bytes)],
    [LIMIT_WORDS.input, byteText(maxInputBytes)],
    [LIMIT_WORDS.upload, byteText(maxUploadBytes)],
    [LIMIT_WORDS.idempotency, hourText(idempotencyMillis)],
    [LIMIT_WORDS.cursor, hourText(cursorMillis)],
  ]);
  const describe = (key: string, value: unknown): unknown =>
    key === 'description' && typeof value === 'string'
      ? value.replace(/%[a-z-]+-limit%/g, (word) => words.get(word) ?? word)
      : value;
  return JSON.parse(JSON.stringify(document), describe) as OpenAPIObject;
}
