import type { Socket } from 'node:net';

const LOOK_MILLIS = 50;

/** Ends a connection whose server sends more bytes for one call than the limit. */
export class ReceivedBytes {
  private from = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly socket: Socket,
    private readonly limit: number,
  ) {
    this.timer = setInterval(() => this.look(), LOOK_MILLIS);
    socket.once('close', () => clearInterval(this.timer));
  }

  /** Sets the count to zero at the start of a call. */
  restart(): void {
    this.from = this.socket.bytesRead;
  }

  /** Stops the check. The connection stays open. */
  stop(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    if (this.socket.bytesRead - this.from <= this.limit) return;
    clearInterval(this.timer);
    this.socket.destroy(
      new Error(`The server sends more than ${Math.ceil(this.limit / 1024 / 1024)} MB for one request.`),
    );
  }
}
