import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import type { Terminal } from '../input/terminal.js';

const PAGE = '<!doctype html><meta charset="utf-8"><title>aas</title>';

/**
 * The secret of one authorisation (PKCE, RFC 7636). Only the process that began the authorisation can exchange its code
 * for a key.
 */
export class Authorisation {
  readonly verifier = randomBytes(32).toString('base64url');
  readonly state = randomBytes(16).toString('base64url');

  /**
   * Returns the URL of the page on which the person authorises this computer. The page sends the code to the local
   * `port`. If `port` is undefined, the page shows a code, which the person pastes into the terminal.
   */
  page(address: string, port?: number): string {
    const query = new URLSearchParams({
      ...(port !== undefined && { port: String(port) }),
      challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      state: this.state,
      name: hostname(),
    });
    return `${address}/console/cli?${query.toString()}`;
  }
}

/** Listens on a free local port for the code that the authorisation page sends. */
export class CodeListener {
  /**
   * Resolves with the code from the page, and never rejects. Responds with 404 to a request without a code or with
   * another state.
   */
  readonly code: Promise<string>;
  private readonly server: Server;

  private constructor({ state }: Authorisation) {
    this.server = createServer();
    this.code = new Promise((resolve) => {
      this.server.on('request', (request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
        const code = searchParams.get('code');
        const isOurs = pathname === '/' && searchParams.get('state') === state && code !== null;
        response.writeHead(isOurs ? 200 : 404, {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': "default-src 'none'",
          'cache-control': 'no-store',
          connection: 'close',
        });
        response.end(`${PAGE}<p>${isOurs ? 'Signed in. Close this page and continue in the terminal.' : 'Not found.'}`);
        if (isOurs) resolve(code);
      });
    });
  }

  static async open(authorisation: Authorisation): Promise<CodeListener> {
    const listener = new CodeListener(authorisation);
    await new Promise<void>((resolve, reject) => {
      listener.server.once('error', reject);
      listener.server.listen(0, '127.0.0.1', resolve);
    });
    return listener;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
    this.server.closeIdleConnections();
  }
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens a page in the browser. Ignores failures, because the URL has already been printed. */
export function openPage(url: string, { env }: Pick<Terminal, 'env'>): void {
  const [command = 'xdg-open', ...args] = env.BROWSER ? [env.BROWSER] : (OPENERS[process.platform] ?? []);
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.once('error', () => undefined);
  child.unref();
}
