import type { Socket } from 'node:net';

const LOOK_MILLIS = 50;

/** Checks the number of received bytes every 50 ms. */
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

  /** Must be called at the start of each call. */
  restart(): void {
    this.from = this.socket.bytesRead;
  }

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
