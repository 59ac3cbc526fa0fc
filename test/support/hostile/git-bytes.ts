import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, deflateSync } from 'node:zlib';

/** Returns a pkt-line of the git protocol. `length` is the declared length; the default is the actual length. */
export function line(content: Buffer | string, length?: number): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([Buffer.from((length ?? bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

const NOTHING = Buffer.alloc(0);
export const FLUSH = Buffer.from('0000');

export const OBJECTS = { commit: 1, tree: 2, blob: 3, ofsDelta: 6, refDelta: 7 } as const;

/**
 * Returns an object of a pack file. `size` is the declared size; the default is the actual size. `before` contains the
 * bytes between the header and the content of the object.
 */
export function packed(
  type: keyof typeof OBJECTS,
  content: Buffer,
  { size = content.length, before = Buffer.alloc(0) } = {},
): Buffer {
  const header: number[] = [];
  let rest = Math.floor(size / 16);
  header.push((OBJECTS[type] << 4) | (size % 16) | (rest > 0 ? 128 : 0));
  for (; rest > 0; rest = Math.floor(rest / 128)) header.push((rest % 128) | (rest >= 128 ? 128 : 0));
  return Buffer.concat([Buffer.from(header), before, deflateSync(content, { level: 1 })]);
}

/** Returns a blob with the declared size `size`. Its zlib stream inflates to `megabytes` MiB and does not terminate. */
export function inflatingBlob(size: number, megabytes: number): Buffer {
  const block = deflateSync(Buffer.alloc(1024 * 1024), { level: 1, finishFlush: constants.Z_FULL_FLUSH });
  const header = packed('blob', NOTHING, { size }).subarray(0, -deflateSync(NOTHING).length);
  // The first two bytes of the block are the zlib header. The remaining bytes end with a full flush and refer to no
  // earlier data, so they can be repeated.
  return Buffer.concat([header, block, ...Array<Buffer>(megabytes - 1).fill(block.subarray(2))]);
}

/** Returns a pack file. `count` is the declared number of objects; the default is the actual number. */
export function pack(objects: readonly Buffer[], count = objects.length): Buffer {
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(count, 8);
  const bytes = Buffer.concat([header, ...objects]);
  return Buffer.concat([bytes, createHash('sha1').update(bytes).digest()]);
}

export function objectId(type: string, content: Buffer): string {
  return createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');
}

export function aTree(...entries: [mode: string, name: string, id: string][]): Buffer {
  return Buffer.concat(
    entries.map(([mode, name, id]) => Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')])),
  );
}

export function aCommit(tree: string): Buffer {
  return Buffer.from(
    `tree ${tree}\nauthor Ada <ada@example.com> 1 +0000\ncommitter Ada <ada@example.com> 1 +0000\n\nA change\n`,
  );
}

/** Returns the list of references of a server whose HEAD is the commit `head`. `more` contains additional lines. */
export function references(head: string, ...more: Buffer[]): Buffer {
  const capabilities = 'side-band-64k ofs-delta shallow symref=HEAD:refs/heads/main agent=test';
  return Buffer.concat([
    line('# service=git-upload-pack\n'),
    FLUSH,
    line(`${head} HEAD\0${capabilities}\n`),
    line(`${head} refs/heads/main\n`),
    ...more,
    FLUSH,
  ]);
}

/** Returns the response to a fetch request. `bytes` is the pack file. */
export function fetched(head: string, bytes: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 65_000)
    parts.push(line(Buffer.concat([Buffer.from([1]), bytes.subarray(at, at + 65_000)])));
  return Buffer.concat([line(`shallow ${head}\n`), FLUSH, line('NAK\n'), ...parts, FLUSH]);
}

export function gitAnswers(
  advertised: Buffer,
  answer: Buffer,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const service = request.method === 'GET' ? 'advertisement' : 'result';
    response.setHeader('content-type', `application/x-git-upload-pack-${service}`);
    request.resume().on('end', () => response.end(request.method === 'GET' ? advertised : answer));
  };
}

/** Returns a request handler that sends the same bytes again and again, until the client closes the connection. */
export function endlessAnswer(bytes: Buffer): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const service = request.method === 'GET' ? 'advertisement' : 'result';
    response.setHeader('content-type', `application/x-git-upload-pack-${service}`);
    const more = (): void => {
      while (!response.destroyed) if (!response.write(bytes)) return;
    };
    response.on('drain', more);
    more();
  };
}
