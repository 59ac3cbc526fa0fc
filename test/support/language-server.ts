import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

import { eventually } from './eventually.js';

export interface Diagnostic {
  message: string;
  /** Position of the diagnostic. Lines and characters are counted from 0. */
  range: { start: { line: number; character: number } };
}

interface Message {
  id?: number;
  method?: string;
  params?: unknown;
  result?: unknown;
}

const PACKAGE = dirname(createRequire(import.meta.url).resolve('yaml-language-server/package.json'));

/**
 * Starts the YAML language server that editors use, and communicates with it over its standard streams (Language Server
 * Protocol 3.17).
 */
export class LanguageServer {
  private read = Buffer.alloc(0);
  private lastId = 0;
  private readonly answers = new Map<number, (result: unknown) => void>();
  private readonly diagnostics = new Map<string, Diagnostic[]>();

  private constructor(
    private readonly child: ChildProcessByStdio<Writable, Readable, null>,
    private readonly settings: Readonly<Record<string, unknown>>,
  ) {
    child.stdout.on('data', (chunk: Buffer) => this.take(chunk));
  }

  static async start(schemaUrl: string): Promise<LanguageServer> {
    const child = spawn(process.execPath, [join(PACKAGE, 'bin', 'yaml-language-server'), '--stdio'], {
      env: { PATH: process.env.PATH },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const yaml = {
      schemas: { [schemaUrl]: '*.yaml' },
      validate: true,
      completion: true,
      hover: true,
      schemaStore: { enable: false },
    };
    const server = new LanguageServer(child, { yaml });
    const capabilities = { workspace: { configuration: true }, textDocument: { publishDiagnostics: {} } };
    await server.ask('initialize', { processId: process.pid, rootUri: null, capabilities });
    server.send({ method: 'initialized', params: {} });
    server.send({ method: 'workspace/didChangeConfiguration', params: { settings: server.settings } });
    return server;
  }

  open(uri: string, text: string): void {
    const textDocument = { uri, languageId: 'yaml', version: 1, text };
    this.send({ method: 'textDocument/didOpen', params: { textDocument } });
  }

  async diagnosticsOf(uri: string): Promise<Diagnostic[]> {
    return eventually(() => {
      const found = this.diagnostics.get(uri);
      if (!found) throw new Error(`No diagnostics of ${uri} yet.`);
      return Promise.resolve(found);
    });
  }

  async completionsAt(uri: string, line: number, character: number): Promise<string[]> {
    const params = { textDocument: { uri }, position: { line, character } };
    const result = (await this.ask('textDocument/completion', params)) as { items: { label: string }[] };
    return result.items.map(({ label }) => label);
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    await gone;
  }

  private ask(method: string, params: unknown): Promise<unknown> {
    const id = ++this.lastId;
    return new Promise((resolve) => {
      this.answers.set(id, resolve);
      this.send({ id, method, params });
    });
  }

  private send(message: Message): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  private take(chunk: Buffer): void {
    this.read = Buffer.concat([this.read, chunk]);
    for (;;) {
      const head = this.read.indexOf('\r\n\r\n');
      if (head === -1) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.read.toString('utf8', 0, head))?.[1]);
      if (this.read.length < head + 4 + length) return;
      const body = this.read.toString('utf8', head + 4, head + 4 + length);
      this.read = this.read.subarray(head + 4 + length);
      this.hear(JSON.parse(body) as Message);
    }
  }

  private hear({ id, method, params, result }: Message): void {
    if (method === undefined) {
      if (id !== undefined) this.answers.get(id)?.(result);
    } else if (method === 'workspace/configuration') {
      const { items } = params as { items: { section: string }[] };
      this.send({ id, result: items.map(({ section }) => this.settings[section] ?? {}) });
    } else if (method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics } = params as { uri: string; diagnostics: Diagnostic[] };
      this.diagnostics.set(uri, diagnostics);
    } else if (id !== undefined) this.send({ id, result: null });
  }
}
