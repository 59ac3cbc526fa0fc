import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Bytes that a server has sent. `after` is the number of client bytes that it had received before it sent them. */
export interface Turn {
  after: number;
  bytes: Buffer;
}
export type Conversation = Turn[];

/**
 * Opens a recording proxy in front of the server at port `target`, and calls `talk` with the port of the proxy. Returns
 * one recorded conversation for each connection.
 */
export async function record(target: number, talk: (port: number) => Promise<unknown>): Promise<Conversation[]> {
  const conversations: Conversation[] = [];
  const sockets: Socket[] = [];
  const proxy = createServer({ noDelay: true }, (client) => {
    const conversation: Conversation = [];
    conversations.push(conversation);
    let received = 0;
    const server = connect({ host: '127.0.0.1', port: target, noDelay: true });
    sockets.push(client, server);
    client.on('data', (chunk) => {
      received += chunk.length;
      server.write(chunk);
    });
    server.on('data', (bytes) => {
      conversation.push({ after: received, bytes });
      client.write(bytes);
    });
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const)
      from.on('error', () => to.destroy()).on('close', () => to.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  try {
    await talk((proxy.address() as AddressInfo).port);
  } finally {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  }
  return conversations;
}

export function replay(conversations: readonly Conversation[]): (socket: Socket) => void {
  let connections = 0;
  return (socket) => {
    const conversation = conversations[connections++ % conversations.length] ?? [];
    let [at, received] = [0, 0];
    const send = (): void => {
      for (let turn = conversation[at]; turn && turn.after <= received && socket.writable; turn = conversation[at]) {
        socket.write(turn.bytes);
        at += 1;
      }
    };
    send();
    socket.on('data', (chunk) => {
      received += chunk.length;
      send();
    });
  };
}

/**
 * Returns a generator of pseudo-random numbers from 0 (inclusive) to 1 (exclusive). The numbers depend only on the seed
 * (mulberry32).
 */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

type Mutation = (bytes: Buffer, below: (limit: number) => number) => Buffer;

const MUTATIONS: readonly Mutation[] = [
  // Flips a bit.
  (bytes, below) => {
    const changed = Buffer.from(bytes);
    const at = below(bytes.length);
    changed[at] = (changed[at] ?? 0) ^ (1 << below(8));
    return changed;
  },
  // Truncates the message.
  (bytes, below) => bytes.subarray(0, below(bytes.length)),
  // Inserts random bytes.
  (bytes, below) => {
    const at = below(bytes.length);
    const inserted = Buffer.from(Array.from({ length: 1 + below(16) }, () => below(256)));
    return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
  },
  // Overwrites four bytes, which may be a length, with a large, a negative or a small number.
  (bytes, below) => {
    const changed = Buffer.concat([bytes, Buffer.alloc(4)]);
    const lengths = [0x7f_ff_ff_ff, 0xff_ff_ff_ff, 0, 1, 3, 0x10_00_00_00];
    changed.writeUInt32BE(lengths[below(lengths.length)] ?? 0, below(bytes.length));
    return changed.subarray(0, bytes.length);
  },
  // Repeats a part of the message.
  (bytes, below) => {
    const from = below(bytes.length);
    const to = from + below(bytes.length - from);
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  },
  // Removes a part of the message.
  (bytes, below) => {
    const from = below(bytes.length);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + 1 + below(16))]);
  },
];

/**
 * Returns a function that mutates about a third of the messages that it receives. The choice depends only on the seed.
 */
export function mutator(seed: number): (bytes: Buffer) => Buffer {
  const random = randomFrom(seed);
  const below = (limit: number): number => Math.floor(random() * Math.max(1, limit));
  return (bytes) => {
    const mutate = below(3) === 0 ? MUTATIONS[below(MUTATIONS.length)] : undefined;
    return mutate && bytes.length > 0 ? mutate(bytes, below) : bytes;
  };
}

export function mutated(conversations: readonly Conversation[], seed: number): Conversation[] {
  const random = randomFrom(seed);
  const below = (limit: number): number => Math.floor(random() * Math.max(1, limit));
  const copies = conversations.map((conversation) => conversation.map((turn) => ({ ...turn })));
  const turns = copies.flat();
  for (let changes = 1 + below(3); changes > 0; changes--) {
    const turn = turns[below(turns.length)];
    const mutate = MUTATIONS[below(MUTATIONS.length)];
    if (turn && mutate && turn.bytes.length > 0) turn.bytes = mutate(turn.bytes, below);
  }
  return copies;
}
