import type { Socket } from 'node:net';

/** Returns a packet of the MySQL protocol. `length` is the declared length; the default is the actual length. */
export function packet(sequence: number, body: Buffer, length = body.length): Buffer {
  const header = Buffer.alloc(4);
  header.writeUIntLE(length, 0, 3);
  header[3] = sequence;
  return Buffer.concat([header, body]);
}

export function counted(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
}

/** Returns the first packet of a server with protocol version 10. `method` is the authentication method. */
export function greeting(method = 'mysql_native_password'): Buffer {
  const head = Buffer.from([10, ...Buffer.from('8.0.0\0'), 1, 0, 0, 0, ...Buffer.from('abcdefgh'), 0]);
  // The capabilities are protocol 4.1, transactions, secure connection and authentication methods, but not TLS.
  const capabilities = Buffer.from([0x0d, 0xa2, 45, 2, 0, 0x0a, 0x00, 21, ...Buffer.alloc(10)]);
  return packet(0, Buffer.concat([head, capabilities, Buffer.from(`ijklmnopqrst\0${method}\0`)]));
}

export const okay = (sequence: number): Buffer => packet(sequence, Buffer.from([0, 0, 0, 2, 0, 0, 0]));
export const endOfRows = (sequence: number): Buffer => packet(sequence, Buffer.from([0xfe, 0, 0, 2, 0]));

/** Returns the definition of a column. The default type 253 is VAR_STRING. */
export function column(sequence: number, name: string, type = 253): Buffer {
  const names = [counted('def'), counted(''), counted(''), counted(''), counted(name), counted(name)];
  const rest = Buffer.from([0x0c, 45, 0, 255, 0, 0, 0, type, 0, 0, 0, 0, 0]);
  return packet(sequence, Buffer.concat([...names, rest]));
}

export function afterGreeting(answer: (socket: Socket) => void, method?: string): (socket: Socket) => void {
  return (socket) => {
    socket.write(greeting(method));
    socket.once('data', () => answer(socket));
  };
}

/**
 * Returns a connection handler that accepts the login and the start of the transaction, and calls `answer` when the
 * client sends the SELECT.
 */
export function atSelect(answer: (socket: Socket) => void): (socket: Socket) => void {
  return (socket) => {
    socket.write(greeting());
    let isLoggedIn = false;
    socket.on('data', (chunk) => {
      if (!isLoggedIn) {
        isLoggedIn = true;
        socket.write(okay(2));
      } else if (chunk.includes('select 1')) answer(socket);
      else socket.write(okay(1));
    });
  };
}
