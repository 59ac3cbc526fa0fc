import type { Socket } from 'node:net';

/** A packet of the MySQL protocol. `length`: the claimed length; default: the real one. */
export function packet(sequence: number, body: Buffer, length = body.length): Buffer {
  const header = Buffer.alloc(4);
  header.writeUIntLE(length, 0, 3);
  header[3] = sequence;
  return Buffer.concat([header, body]);
}

/** A length-prefixed text. */
export function counted(text: string): Buffer {
  return Buffer.concat([Buffer.from([text.length]), Buffer.from(text)]);
}

/** The first packet of a server, protocol version 10, with the authentication method `method`. */
export function greeting(method = 'mysql_native_password'): Buffer {
  const head = Buffer.from([10, ...Buffer.from('8.0.0\0'), 1, 0, 0, 0, ...Buffer.from('abcdefgh'), 0]);
  // Capabilities: protocol 4.1, transactions, secure connection, authentication methods; no TLS.
  const capabilities = Buffer.from([0x0d, 0xa2, 45, 2, 0, 0x0a, 0x00, 21, ...Buffer.alloc(10)]);
  return packet(0, Buffer.concat([head, capabilities, Buffer.from(`ijklmnopqrst\0${method}\0`)]));
}

/** `header` 0x00 OK, status autocommit. */
export const okay = (sequence: number): Buffer => packet(sequence, Buffer.from([0, 0, 0, 2, 0, 0, 0]));
export const endOfRows = (sequence: number): Buffer => packet(sequence, Buffer.from([0xfe, 0, 0, 2, 0]));

/** The definition of a column of type VAR_STRING. */
export function column(sequence: number, name: string, type = 253): Buffer {
  const names = [counted('def'), counted(''), counted(''), counted(''), counted(name), counted(name)];
  const rest = Buffer.from([0x0c, 45, 0, 255, 0, 0, 0, type, 0, 0, 0, 0, 0]);
  return packet(sequence, Buffer.concat([...names, rest]));
}

/** Sends the greeting; `answer` handles the login. */
export function afterGreeting(answer: (socket: Socket) => void, method?: string): (socket: Socket) => void {
  return (socket) => {
    socket.write(greeting(method));
    socket.once('data', () => answer(socket));
  };
}

/** Accepts the login and the begin of the transaction; `answer` handles the SELECT. */
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
