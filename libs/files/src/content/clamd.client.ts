import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { DomainError, nextTurn } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { StorageUnavailable } from '../storage/file-storage.js';

/** Milliseconds that the scanner may be silent: while it connects, takes bytes, or decides. */
const SILENCE_MILLIS = 60_000;
const MAX_REPLY_BYTES = 4_096;

export interface ScannerAddress {
  host: string;
  port: number;
}

/** The scanner is one of the operator, so its address may be private. */
@Injectable()
export class ClamdClient {
  constructor(private readonly address: ScannerAddress | undefined) {}

  /**
   * Ends only after the scanner has found nothing.
   * @throws DomainError `file_refused` if the scanner found something or the file is too long for it;
   * StorageUnavailable if it does not answer
   */
  async *scanned(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    if (!this.address) {
      yield* bytes;
      return;
    }
    const scan = new Scan(this.address);
    try {
      await scan.begin();
      for await (const chunk of bytes) {
        await scan.send(chunk);
        yield chunk;
      }
      await scan.end();
    } finally {
      scan.close();
    }
  }
}

class Scan {
  private readonly socket: Socket;
  private readonly reply: Promise<string>;
  private received = '';

  constructor(address: ScannerAddress) {
    this.socket = connect(address);
    this.socket.setTimeout(SILENCE_MILLIS, () => this.socket.destroy(new Error('The scanner does not answer.')));
    this.reply = new Promise((resolve, reject) => {
      this.socket.on('data', (part) => {
        this.received = (this.received + part.toString('latin1')).slice(0, MAX_REPLY_BYTES);
      });
      this.socket.once('error', (cause) => reject(new StorageUnavailable(`scanner: ${cause.message}`, { cause })));
      this.socket.once('close', () => resolve(this.received));
    });
    this.reply.catch(() => undefined);
  }

  async begin(): Promise<void> {
    await this.orReply(once(this.socket, 'connect'));
    await this.write(Buffer.from('zINSTREAM\0'));
  }

  async send(chunk: Buffer): Promise<void> {
    if (chunk.length === 0) return;
    // Reads a reply that has arrived. A write after the scanner has closed the connection would lose it.
    await nextTurn();
    await this.write(Buffer.concat([sizeOf(chunk.length), chunk]));
  }

  async end(): Promise<void> {
    await this.write(sizeOf(0));
    this.judge(await this.reply);
  }

  close(): void {
    this.socket.destroy();
  }

  private async write(bytes: Buffer): Promise<void> {
    if (!this.socket.writable) this.judge(await this.reply);
    if (!this.socket.write(bytes)) await this.orReply(once(this.socket, 'drain'));
  }

  /** The scanner may reply earlier, for example if the file is too long for it. */
  private async orReply(event: Promise<unknown>): Promise<void> {
    event.catch(() => undefined);
    const reply = await Promise.race([event.then(() => undefined), this.reply]);
    if (reply !== undefined) this.judge(reply);
  }

  private judge(reply: string): void {
    const verdict = reply.replaceAll('\0', '').trim();
    if (verdict === 'stream: OK') return;
    if (/^stream: .+ FOUND$/.test(verdict) || /size limit exceeded/i.test(verdict)) {
      throw new DomainError('file_refused', 'The scanner of the installation has rejected this file.');
    }
    throw new StorageUnavailable(`scanner: ${verdict === '' ? 'no answer' : verdict}`);
  }
}

function sizeOf(length: number): Buffer {
  const size = Buffer.allocUnsafe(4);
  size.writeUInt32BE(length);
  return size;
}
