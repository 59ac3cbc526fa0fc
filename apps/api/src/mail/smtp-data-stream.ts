import { SMTPStream } from 'smtp-server/lib/smtp-stream.js';

/** Number of bytes at the end of a chunk that may be the beginning of `\r\n.\r\n`. */
const LOOK_AHEAD = 4;
const LF = 0x0a;
const CR = 0x0d;
const DOT = 0x2e;

type Callback = (error?: Error | null) => void;

/**
 * Makes smtp-server remove the escaping dots of a mail (RFC 5321, section 4.5.2) in one pass, with one write per chunk.
 * The original code of smtp-server writes once for each line that begins with a dot, without waiting for the reader.
 * Ten megabytes of these lines would become millions of buffers with hundreds of megabytes. A test compares both
 * implementations.
 */
export function readDataInOnePass(): void {
  SMTPStream.prototype._feedDataStream = feedDataStream;
}

function feedDataStream(this: SMTPStream, received: Buffer, done: Callback): void {
  const chunk = this._lastBytes ? Buffer.concat([this._lastBytes, received]) : received;
  this._lastBytes = false;
  if (this._atDataStart && startsWith(chunk, DOT, CR, LF)) return this._endDataMode(false, chunk.subarray(3), done);
  let from = 0;
  if (this._atDataStart && startsWith(chunk, DOT, DOT)) {
    from = 1;
    this._atDataStart = false;
  }
  const { kept, rest, isEnd } = unstuffed(chunk, from);
  this._countDataBytes(kept.length);
  if (isEnd) return this._endDataMode(kept, rest, done);
  this._lastBytes = rest.length > 0 ? Buffer.from(rest) : false;
  write(this, kept, done);
}

function startsWith(chunk: Buffer, ...bytes: number[]): boolean {
  return bytes.every((byte, at) => chunk[at] === byte);
}

/**
 * Removes the escaping dots from a chunk, beginning at `from`. `kept` is the data without these dots. If `isEnd`, the
 * mail ends in this chunk, and `rest` contains the bytes after it. Otherwise `rest` contains the bytes that cannot be
 * interpreted without the next chunk.
 */
function unstuffed(chunk: Buffer, from: number): { kept: Buffer; rest: Buffer; isEnd: boolean } {
  const target = Buffer.allocUnsafe(chunk.length);
  let length = 0;
  /** Position after the last removed dot. */
  let begin = from;
  let at = from;
  for (; at < chunk.length - 2; at += 1) {
    const byte = chunk[at]!;
    if (byte === DOT && at >= begin + 2 && chunk[at - 1] === LF) {
      if (chunk[at - 2] === CR && chunk[at + 1] === CR && chunk[at + 2] === LF)
        return { kept: target.subarray(0, length), rest: chunk.subarray(at + 3), isEnd: true };
      if (chunk[at + 1] === DOT) {
        begin = at + 1;
        continue;
      }
    }
    target[length] = byte;
    length += 1;
  }
  // The last bytes of the chunk may be the beginning of the sequence that ends the mail.
  const first = Math.max(begin, chunk.length - LOOK_AHEAD);
  const decided = Math.max(0, at - first);
  return { kept: target.subarray(0, length - decided), rest: chunk.subarray(first), isEnd: false };
}

function write(stream: SMTPStream, data: Buffer, done: Callback): void {
  const target = stream._dataStream;
  if (data.length === 0 || !target?.writable || target.write(data) || target.destroyed) return done();
  // A destroyed stream emits only `close` and no `drain`.
  const proceed = (): void => {
    target.off('drain', proceed).off('close', proceed);
    done();
  };
  target.once('drain', proceed).once('close', proceed);
}
