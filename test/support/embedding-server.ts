import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { eventually } from './eventually.js';
import { TestEmbedder, type WordWeights } from './test-embedder.js';

/** A scripted response that the server returns instead of vectors. */
export interface ScriptedEmbedding {
  status?: number;
  headers?: Record<string, string>;
  /** The complete body of the response. It does not depend on the request. */
  body?: string;
  cut?: boolean;
  /** True to respond only after {@link EmbeddingServer.release} is called. */
  hang?: boolean;
}

export interface EmbeddingRequest {
  model: string;
  input: string[];
  dimensions: number | undefined;
  authorization: string | undefined;
}

type Script = ScriptedEmbedding | ((request: EmbeddingRequest) => ScriptedEmbedding);

/**
 * A server with the operation `POST /embeddings` of OpenAI. It returns the vectors of {@link TestEmbedder}. A script
 * can make requests fail.
 */
export class EmbeddingServer {
  readonly requests: EmbeddingRequest[] = [];
  private readonly embedders = new Map<number, TestEmbedder>();
  private script: Script[] = [];
  private standing: Script = {};
  private hanging: (() => void)[] = [];
  /** Number of dimensions of a vector if the request does not specify `dimensions`. */
  dimensions = 256;

  private constructor(
    private readonly server: Server,
    private readonly weightOf: WordWeights | undefined,
  ) {
    server.on('request', (request, response) => void this.receive(request, response).catch(() => response.destroy()));
  }

  static async start(weightOf?: WordWeights): Promise<EmbeddingServer> {
    const server = createServer({ keepAliveTimeout: 600_000 }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new EmbeddingServer(server, weightOf);
  }

  get url(): string {
    const address = this.server.address();
    if (typeof address !== 'object' || address === null) throw new Error('The embedding server has been closed.');
    return `http://127.0.0.1:${address.port}/v1`;
  }

  respondWith(...answers: Script[]): void {
    this.script.push(...answers);
  }

  always(answer: Script): void {
    this.standing = answer;
  }

  asked(times: number): Promise<EmbeddingRequest[]> {
    const look = (): EmbeddingRequest[] => {
      if (this.requests.length >= times) return this.requests;
      throw new Error(`The server was asked ${this.requests.length} times, not ${times}.`);
    };
    return eventually(look);
  }

  get texts(): number {
    return this.requests.reduce((sum, { input }) => sum + input.length, 0);
  }

  release(): void {
    for (const goOn of this.hanging.splice(0)) goOn();
  }

  reset(): void {
    this.standing = {};
    this.script = [];
    this.release();
    this.requests.length = 0;
    this.dimensions = 256;
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
    const body = JSON.parse(Buffer.concat(chunks).toString()) as EmbeddingRequest;
    const seen = { ...body, dimensions: body.dimensions, authorization: request.headers.authorization };
    this.requests.push(seen);
    const next = this.script.shift() ?? this.standing;
    const answer = typeof next === 'function' ? next(seen) : next;
    if (answer.hang) await new Promise<void>((resolve) => this.hanging.push(resolve));
    const status = request.url === '/v1/embeddings' ? (answer.status ?? 200) : 404;
    response.writeHead(status, { 'content-type': 'application/json', ...answer.headers });
    const text = answer.body ?? (status === 200 ? this.vectorsOf(seen) : error(status));
    if (!answer.cut) return void response.end(text);
    response.write(text.slice(0, text.length / 2), () => response.destroy());
  }

  private vectorsOf({ input, dimensions = this.dimensions }: EmbeddingRequest): string {
    const embedder = this.embedders.get(dimensions) ?? new TestEmbedder(dimensions, this.weightOf);
    this.embedders.set(dimensions, embedder);
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: embedder.embed(text) }));
    // The vectors are returned in reverse order, because the API of OpenAI allows any order. `index` identifies the
    // text of a vector.
    return JSON.stringify({ object: 'list', data: data.reverse(), usage: { prompt_tokens: 1, total_tokens: 1 } });
  }
}

function error(status: number): string {
  return JSON.stringify({ error: { message: `scripted ${status}`, type: 'test_error' } });
}
