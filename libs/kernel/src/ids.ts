export const ID_PREFIXES = {
  workspace: 'wsp',
  agent: 'agt',
  evaluation: 'evl',
  file: 'file',
  knowledgeBase: 'kb',
  source: 'src',
  document: 'doc',
  sync: 'syn',
  connection: 'con',
  run: 'run',
  approval: 'apr',
  bulkAction: 'bulk',
  webhookEndpoint: 'whe',
  delivery: 'dlv',
  event: 'evt',
  apiKey: 'key',
  mcpClient: 'mcl',
  member: 'mem',
  session: 'ses',
  request: 'req',
  savedView: 'view',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
// 26 characters hold 130 bits, but an id has 128. The first two bits are 0, so the first character is at most 7.
const SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/**
 * Maximum difference between the clock of a process that creates ids and the clock of the database, which writes
 * `created_at`.
 */
const CLOCKS_AGREE_WITHIN_MILLIS = 2 * 3_600_000;

const RANDOM = new Uint8Array(16 * 256);
let randomUsed = RANDOM.length;

let lastMillis = -1;
let counter = 0;

/**
 * Creates an id `<prefix>_<26 chars>`: a UUIDv7 (RFC 9562) in lower-case Crockford base32, as in TypeID.
 * Ids of one process sort by creation, even within one millisecond (12-bit counter in `rand_a`).
 */
export function newId(kind: IdKind, nowMillis: number = Date.now()): string {
  return `${ID_PREFIXES[kind]}_${encodeBase32(uuidV7(nowMillis))}`;
}

export function lowestId(kind: IdKind, atMillis: number): string {
  const bytes = new Uint8Array(16);
  writeMillis(bytes, Math.max(0, atMillis));
  return `${ID_PREFIXES[kind]}_${encodeBase32(bytes)}`;
}

/**
 * It contains the ids of all rows whose `created_at` is from `since` (inclusive) to `until` (exclusive), and some more
 * ids, because clocks differ. Add this range to a query by time, so that Postgres reads only a part of the index of
 * ids.
 */
export function idRange(
  kind: IdKind,
  { since, until }: { since?: Date; until?: Date },
): { lowest?: string; beyond?: string } {
  return {
    ...(since && { lowest: lowestId(kind, since.getTime() - CLOCKS_AGREE_WITHIN_MILLIS) }),
    ...(until && { beyond: lowestId(kind, until.getTime() + CLOCKS_AGREE_WITHIN_MILLIS) }),
  };
}

/** Callers handle a malformed id like an unknown id. */
export function isId(kind: IdKind, value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const prefix = `${ID_PREFIXES[kind]}_`;
  return value.startsWith(prefix) && SUFFIX.test(value.slice(prefix.length));
}

function uuidV7(nowMillis: number): Uint8Array {
  const bytes = randomBytes();
  // In each millisecond, the 12-bit counter starts at a random number below 2048, so a process can create at least
  // 2048 ids. If the counter overflows, the ids get the timestamp of the next millisecond.
  if (nowMillis > lastMillis) {
    lastMillis = nowMillis;
    counter = ((bytes[6]! & 0x07) << 8) | bytes[7]!;
  } else if (++counter > 0xfff) {
    lastMillis += 1;
    counter = 0;
  }
  writeMillis(bytes, lastMillis);
  bytes[6] = 0x70 | (counter >> 8);
  bytes[7] = counter & 0xff;
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return bytes;
}

/** Returns 16 random bytes. System calls are slow, so each one fetches the bytes for 256 ids. */
function randomBytes(): Uint8Array {
  if (randomUsed === RANDOM.length) {
    crypto.getRandomValues(RANDOM);
    randomUsed = 0;
  }
  return RANDOM.slice(randomUsed, (randomUsed += 16));
}

function writeMillis(bytes: Uint8Array, millis: number): void {
  new DataView(bytes.buffer).setUint16(0, Math.floor(millis / 2 ** 32));
  new DataView(bytes.buffer).setUint32(2, millis % 2 ** 32);
}

function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let pending = 0;
  let bits = 2;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    for (bits += 8; bits >= 5; pending &= (1 << bits) - 1) {
      bits -= 5;
      text += CROCKFORD.charAt(pending >> bits);
    }
  }
  return text;
}
