import { createHash, timingSafeEqual } from 'node:crypto';
import { type Clock, canonicalJson, DomainError, hourText, type JsonObject, type PageRequest } from '@app/kernel';

const MAC_BYTES = 16;
const MAX_CURSOR = 4_096;

export interface ListIdentity {
  list: string;
  workspaceId: string;
  order: PageRequest['order'];
  filters: JsonObject;
}

type Sign = (data: string) => Buffer;

/**
 * A cursor is the base64url of an HMAC and of the JSON `{after, at, for}`: the key of the last row, the time of
 * creation, and a fingerprint of the list. A cursor is valid only for its list, order and filters, and only for
 * `validMillis`, a whole number of hours.
 */
export class Cursors {
  constructor(
    private readonly sign: Sign,
    private readonly clock: Clock,
    private readonly validMillis: number,
  ) {}

  encode(list: ListIdentity, after: string): string {
    const body = JSON.stringify({ after, at: this.clock.now().getTime(), for: fingerprint(list) });
    return Buffer.concat([this.mac(body), Buffer.from(body)]).toString('base64url');
  }

  /** @throws DomainError `invalid_cursor`, `cursor_mismatch` or `cursor_expired` */
  decode(list: ListIdentity, cursor: string): string {
    const { after, at, for: madeFor } = this.verify(cursor);
    if (madeFor !== fingerprint(list)) {
      throw new DomainError(
        'cursor_mismatch',
        'This cursor was made for another list, order or filter. Read the list again without a cursor.',
      );
    }
    if (this.clock.now().getTime() - at > this.validMillis) {
      const detail = `A cursor is valid for ${hourText(this.validMillis)}. Read the list again without a cursor.`;
      throw new DomainError('cursor_expired', detail);
    }
    return after;
  }

  private verify(cursor: string): { after: string; at: number; for: string } {
    const bytes = Buffer.from(cursor, 'base64url');
    const body = bytes.subarray(MAC_BYTES).toString();
    const genuine =
      cursor.length <= MAX_CURSOR &&
      bytes.length > MAC_BYTES &&
      bytes.toString('base64url') === cursor &&
      timingSafeEqual(bytes.subarray(0, MAC_BYTES), this.mac(body));
    if (!genuine)
      throw new DomainError(
        'invalid_cursor',
        'The cursor is not one that this service returned. Pass `next_cursor` unchanged.',
      );
    return JSON.parse(body) as { after: string; at: number; for: string };
  }

  private mac(body: string): Buffer {
    return this.sign(body).subarray(0, MAC_BYTES);
  }
}

function fingerprint({ list, workspaceId, order, filters }: ListIdentity): string {
  return createHash('sha256')
    .update(canonicalJson({ list, workspaceId, order, filters }))
    .digest('base64url')
    .slice(0, 22);
}
