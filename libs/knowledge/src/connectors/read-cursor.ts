import type { JsonValue } from '@app/kernel';
import { sha256 } from '@app/platform/crypto';

/**
 * What says that an item is as it was when it was indexed: the mark that its source gives it, and the part of the configuration that makes a
 * document of it. Where either differs the item is read again. Undefined for an item without a mark.
 */
export function cursorReader(how: JsonValue): (mark: string | undefined) => string | undefined {
  const reading = sha256(JSON.stringify(how)).toString('base64url').slice(0, 11);
  return (mark) => (mark === undefined ? undefined : `${reading} ${mark}`);
}
