import type { Socket } from 'node:net';

/**
 * Returns a message of the server (PostgreSQL protocol 3.0). `length` is the declared length; the default is the actual
 * length.
 */
export function backend(type: string, body: Buffer | string = '', length?: number): Buffer {
  const content = Buffer.from(body);
  const header = Buffer.alloc(5);
  header.write(type, 0, 'latin1');
  header.writeUInt32BE((length ?? content.length + 4) >>> 0, 1);
  return Buffer.concat([header, content]);
}

export function int16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  values.forEach((value, n) => bytes.writeInt16BE(value, 2 * n));
  return bytes;
}

export function int32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, n) => bytes.writeInt32BE(value | 0, 4 * n));
  return bytes;
}

export const READY = backend('Z', 'T');
export const LOGGED_IN = Buffer.concat([backend('R', int32(0)), READY]);

export function described(...names: string[]): Buffer {
  const columns = names.map((name) =>
    Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(25), int16(-1), int32(-1), int16(0)]),
  );
  return backend('T', Buffer.concat([int16(names.length), ...columns]));
}

export function dataRow(...cells: string[]): Buffer {
  const body = cells.map((cell) => Buffer.concat([int32(Buffer.byteLength(cell)), Buffer.from(cell)]));
  return backend('D', Buffer.concat([int16(cells.length), ...body]));
}

/**
 * Returns a connection handler that accepts the login, the start of the transaction and its time limit, and calls
 * `answer` when the client sends the next statement.
 */
export function afterLogin(answer: (socket: Socket) => void): (socket: Socket) => void {
  return (socket) => {
    let began = false;
    let isSet = false;
    socket.on('data', (chunk) => {
      if (!began) {
        began = true;
        socket.write(LOGGED_IN);
      } else if (chunk[0] === 'Q'.charCodeAt(0)) socket.write(Buffer.concat([backend('C', 'SET\0'), READY]));
      else if (chunk[0] === 'P'.charCodeAt(0) && !isSet) {
        isSet = true;
        socket.write(Buffer.concat([backend('1'), backend('2'), backend('n'), backend('C', 'SELECT 1\0'), READY]));
      } else if (chunk[0] === 'P'.charCodeAt(0)) answer(socket);
    });
  };
}

export function atLogin(answer: (socket: Socket) => void): (socket: Socket) => void {
  return (socket) => socket.once('data', () => answer(socket));
}
