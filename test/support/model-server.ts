import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { JsonObject, JsonValue } from '@app/kernel';
import { bedrockAnswer, bedrockEvents } from './bedrock-wire.js';
import { eventually } from './eventually.js';
import { googleAnswer, googleEvents } from './google-wire.js';
import { anthropicAnswer, anthropicEvents, openaiAnswer, openaiEvents, type ScriptedTurn } from './model-wire.js';
import { messagesOf, responsesAnswer, responsesEvents } from './responses-wire.js';

/** A message as the provider received it, in a form that does not depend on the wire format. */
export interface SeenMessage {
  role: string;
  content: JsonValue;
}

/** A request for one turn of the model. A real provider would bill this turn if it responded to the request. */
export interface TurnRequest {
  path: string;
  model: string;
  messages: SeenMessage[];
  tools: string[];
  body: JsonObject;
  headers: IncomingMessage['headers'];
  /** Time of the request in milliseconds since 1970. */
  at: number;
  state: 'open' | 'answered' | 'aborted';
}

interface Wire {
  answer(model: string, turn: ScriptedTurn): JsonObject;
  events(model: string, turn: ScriptedTurn): (string | Buffer)[];
  streamType?: string;
}

const BEDROCK: Wire = {
  answer: bedrockAnswer,
  events: bedrockEvents,
  streamType: 'application/vnd.amazon.eventstream',
};

/** Wire formats by the last part of the path, or by the method after its colon. */
const WIRES: Record<string, Wire> & { completions: Wire } = {
  converse: BEDROCK,
  'converse-stream': BEDROCK,
  streamGenerateContent: { answer: googleAnswer, events: googleEvents },
  completions: { answer: openaiAnswer, events: openaiEvents },
  messages: { answer: anthropicAnswer, events: anthropicEvents },
  responses: { answer: responsesAnswer, events: responsesEvents },
};

type Script = ScriptedTurn | ((request: TurnRequest) => ScriptedTurn);

/**
 * A model server. It implements the wire formats of OpenAI (`/responses` and `/chat/completions`), Anthropic
 * (`/messages`), Gemini (`:streamGenerateContent`) and Amazon Bedrock (`/converse-stream`), and records the requests.
 */
export class ModelServer {
  readonly requests: TurnRequest[] = [];
  private script: Script[] = [];
  private standing: Script = {};
  private hanging: (() => void)[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.receive(request, response));
  }

  static async start(): Promise<ModelServer> {
    const server = createServer({ keepAliveTimeout: 600_000 }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ModelServer(server);
  }

  get url(): string {
    const address = this.server.address();
    if (typeof address !== 'object' || address === null) throw new Error('The model server has been closed.');
    return `http://127.0.0.1:${address.port}/v1`;
  }

  respondWith(...turns: Script[]): void {
    this.script.push(...turns);
  }

  always(turn: Script): void {
    this.standing = turn;
  }

  get answered(): TurnRequest[] {
    return this.requests.filter(({ state }) => state === 'answered');
  }

  asked(times: number): Promise<TurnRequest[]> {
    return eventually(() => {
      if (this.requests.length >= times) return this.requests;
      throw new Error(`The model was asked ${this.requests.length} times, not ${times}.`);
    });
  }

  release(): void {
    for (const goOn of this.hanging.splice(0)) goOn();
  }

  reset(): void {
    this.release();
    this.requests.length = 0;
    this.script = [];
    this.standing = {};
  }

  async close(): Promise<void> {
    this.release();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject;
    const seen = seenRequest(request, body);
    this.requests.push(seen);
    response.on('close', () => {
      if (seen.state === 'open') seen.state = 'aborted';
    });
    const next = this.script.shift() ?? this.standing;
    const turn = typeof next === 'function' ? next(seen) : next;
    if (turn.delayMillis) await new Promise((resolve) => setTimeout(resolve, turn.delayMillis));
    await this.answer(seen, turn, response).catch(() => undefined);
  }

  private async answer(seen: TurnRequest, turn: ScriptedTurn, response: ServerResponse): Promise<void> {
    const method = /([\w-]+)(?:\?.*)?$/.exec(seen.path)?.[1] ?? '';
    const wire = WIRES[method] ?? WIRES.completions;
    if (turn.status !== undefined) {
      const error = { type: 'error', error: { type: 'test_error', message: `scripted ${turn.status}` } };
      response.writeHead(turn.status, { 'content-type': 'application/json', ...turn.headers });
      response.end(turn.raw ?? JSON.stringify(error));
      return;
    }
    const isWhole = turn.whole === true || !(seen.body.stream === true || /stream/i.test(method));
    const streamType = wire.streamType ?? 'text/event-stream';
    response.writeHead(200, { 'content-type': isWhole ? 'application/json' : streamType, ...turn.headers });
    if (turn.raw !== undefined) return void response.end(turn.raw);
    if (turn.bytes !== undefined) return pour(response, turn.bytes);
    if (isWhole) {
      seen.state = 'answered';
      return void response.end(JSON.stringify(wire.answer(seen.model, turn)));
    }
    const events = wire.events(seen.model, turn);
    await this.stream(events, turn, response);
    if (turn.cut) return;
    if (!response.destroyed) seen.state = 'answered';
    response.end();
  }

  private async stream(events: (string | Buffer)[], turn: ScriptedTurn, response: ServerResponse): Promise<void> {
    const half = Math.ceil(events.length / 2);
    for (const [index, event] of events.entries()) {
      if (index === half && turn.cut) return void response.destroy();
      const hangs = index === half ? turn.hang : index === events.length - 1 && turn.hang === 'twice';
      if (hangs) await new Promise<void>((resolve) => this.hanging.push(resolve));
      response.write(event);
    }
  }
}

async function pour(response: ServerResponse, bytes: number): Promise<void> {
  const closed = once(response, 'close');
  const chunk = Buffer.from(`data: ${'x'.repeat(64 * 1024)}`);
  for (let sent = 0; sent < bytes && !response.destroyed; sent += chunk.length)
    if (!response.write(chunk)) await Promise.race([new Promise((resolve) => response.once('drain', resolve)), closed]);
  response.end();
}

function seenRequest(request: IncomingMessage, body: JsonObject): TurnRequest {
  const messages = Array.isArray(body.messages) ? (body.messages as unknown as SeenMessage[]) : messagesOf(body.input);
  const tools = Array.isArray(body.tools) ? (body.tools as { name?: string; function?: { name: string } }[]) : [];
  return {
    path: request.url ?? '',
    model: typeof body.model === 'string' ? body.model : '',
    messages,
    tools: tools.map((tool) => tool.name ?? tool.function?.name ?? ''),
    body,
    headers: request.headers,
    at: Date.now(),
    state: 'open',
  };
}
