import type { UploadProgress } from './file-input.js';

interface SentRequest extends Pick<RequestInit, 'body' | 'credentials'> {
  method: string;
  headers: Readonly<Record<string, string>>;
  signal: AbortSignal;
}

type Listener = (() => void) | null;

/** The part of `XMLHttpRequest` that is used here. The types of servers lack it. */
interface BrowserRequest {
  status: number;
  responseText: string;
  responseURL: string;
  withCredentials: boolean;
  upload: { onprogress: ((event: { loaded: number; total: number; lengthComputable: boolean }) => void) | null };
  onload: Listener;
  onerror: Listener;
  onabort: Listener;
  onloadend: Listener;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: RequestInit['body']): void;
  abort(): void;
  getAllResponseHeaders(): string;
}

/**
 * Sends a request like `fetch` of a browser, which does not report the progress. A redirect is followed, and the
 * response then says so.
 */
export function sendWithProgress(
  url: string,
  { method, headers, credentials, signal, body }: SentRequest,
  onProgress: (progress: UploadProgress) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new (Reflect.get(globalThis, 'XMLHttpRequest') as new () => BrowserRequest)();
    const abort = (): void => request.abort();
    request.open(method, url);
    request.withCredentials = credentials === 'include';
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total, lengthComputable }) =>
      onProgress({ sent: loaded, total: lengthComputable ? total : null });
    request.onload = () => resolve(responseOf(request, url));
    request.onerror = () => reject(new TypeError('The connection broke.'));
    request.onabort = () => reject(new TypeError('The request was aborted.'));
    request.onloadend = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort);
    request.send(body);
  });
}

function responseOf(request: BrowserRequest, url: string): Response {
  const { status, responseText, responseURL } = request;
  const headers = new Headers();
  for (const line of request
    .getAllResponseHeaders()
    .trim()
    .split(/[\r\n]+/)) {
    const at = line.indexOf(':');
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  const response = new Response(responseText === '' ? null : responseText, { status, headers });
  return Object.defineProperty(response, 'redirected', { value: responseURL !== new URL(url).href });
}
