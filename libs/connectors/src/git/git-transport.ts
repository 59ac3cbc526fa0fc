import type { GitHttpRequest, GitHttpResponse, HttpClient } from 'isomorphic-git';
import type { EgressClient } from '@app/platform/egress';
import { redirectTarget } from '@app/platform/egress';

export interface GitLimits {
  /** The pack is in memory while it is read. */
  maxPackBytes: number;
}

const FETCH_MILLIS = 10 * 60_000;
const MAX_REDIRECTS = 3;
/** The first request of a fetch (gitprotocol-http, "Smart Clients"). */
const FIRST_REQUEST = '/info/refs?service=git-upload-pack';

/**
 * If the first request is redirected to another repository, all later requests go to that repository, as with
 * `http.followRedirects=initial` of git. Git hosts send such redirects for renamed repositories. A repository at
 * another origin does not receive the credentials.
 */
export function gitTransport(client: EgressClient, limits: GitLimits): HttpClient {
  let repository: { asked: string; moved: string } | undefined;
  const send = async (request: GitHttpRequest, url: string, body: Uint8Array | undefined) =>
    client.stream({
      url,
      method: request.method ?? 'GET',
      headers: headersFor(url, request),
      ...(body && { body }),
      maxResponseBytes: limits.maxPackBytes,
      timeoutMs: FETCH_MILLIS,
      headersTimeoutMs: 60_000,
    });
  return {
    async request(request: GitHttpRequest): Promise<GitHttpResponse> {
      const { url: asked, method = 'GET', body } = request;
      const sent = await whole(body);
      let url = repository ? asked.replace(repository.asked, () => repository?.moved ?? '') : asked;
      let answer = await send(request, url, sent);
      for (let hops = 0; hops < MAX_REDIRECTS && asked.endsWith(FIRST_REQUEST); hops++) {
        const next = redirectTarget(answer, { url: new URL(url) });
        if (!next?.endsWith(FIRST_REQUEST)) break;
        await answer.body.cancel();
        repository = { asked: repositoryOf(asked), moved: repositoryOf(next) };
        url = next;
        answer = await send(request, url, sent);
      }
      const { status, headers } = answer;
      return { url, method, statusCode: status, statusMessage: String(status), headers, body: parts(answer.body) };
    },
  };
}

function repositoryOf(url: string): string {
  return url.slice(0, -FIRST_REQUEST.length);
}

function headersFor(url: string, { url: asked, headers = {} }: GitHttpRequest): Record<string, string> {
  if (new URL(url).origin === new URL(asked).origin) return headers;
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'));
}

async function whole(body: GitHttpRequest['body']): Promise<Uint8Array | undefined> {
  if (!body) return undefined;
  const sent: Uint8Array[] = [];
  for await (const part of body) sent.push(part);
  return sent.length > 0 ? Buffer.concat(sent) : undefined;
}

async function* parts(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
