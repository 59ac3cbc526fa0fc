import type { Command } from 'commander';
import { RawBody } from '../../../../packages/sdk/src/request.js';
import type { Cli } from '../session/cli.js';
import { usageError } from '../errors/command-error.js';
import { readInput } from '../input/input-document.js';
import { escapedJson } from '../output/escaped-text.js';

interface ApiOptions {
  input?: string;
  paginate?: boolean;
}

/** Sends any request to the API, for operations without a command. */
export function configureApi(api: Command, cli: Cli): void {
  api
    .argument('<method>', 'GET, POST, PUT, PATCH or DELETE')
    .argument('<path>', 'path below the address of the service, for example /v1/runs?limit=5')
    .option('--input <file>', 'body of the request; - is standard input')
    .option('--paginate', 'follow next_cursor: each page is one line')
    .action(
      cli.action(async (method: string, path: string, { input, paginate = false }: ApiOptions) => {
        if (!/^(GET|HEAD|POST|PUT|PATCH|DELETE)$/i.test(method))
          throw usageError(
            `\`${method}\` is not an HTTP method.`,
            '<method>',
            'Write GET, POST, PUT, PATCH or DELETE.',
          );
        const { aas, address } = await cli.connection();
        const target = pathOf(path, address);
        const body = input === undefined ? undefined : await bodyOf(cli, input);
        let cursor: string | undefined;
        do {
          const text = await aas.request<string>(
            method,
            atCursor(target, cursor),
            { isText: true, ...(body !== undefined && { body }) },
            { headers: { accept: 'application/json, text/plain;q=0.5, */*;q=0.1' } },
          );
          const page = pageIn(text);
          if (text !== '') await cli.output.print(escapedJson(page === undefined ? text : JSON.stringify(page)));
          cursor = paginate ? (page?.next_cursor ?? undefined) : undefined;
        } while (cursor !== undefined);
      }),
    );
}

/** Parses a response as a page of a list. Returns undefined if it is not JSON, for example the text of the metrics. */
function pageIn(text: string): { next_cursor?: string | null } | undefined {
  try {
    return JSON.parse(text) as { next_cursor?: string | null };
  } catch {
    return undefined;
  }
}

/**
 * Returns the path without the address of the service. Throws if `path` is a URL with another address, so that the API
 * key is sent only to the service.
 */
function pathOf(path: string, address: string): string {
  const base = `${address}/`;
  const url = URL.canParse(path, base) ? new URL(path.replace(/^\/(?!\/)/, ''), base) : undefined;
  if (url?.href.startsWith(base)) return `/${url.href.slice(base.length)}`;
  throw usageError('The path is outside the service.', path, `Write a path below ${address}, for example /v1/runs.`);
}

function atCursor(path: string, cursor: string | undefined): string {
  if (cursor === undefined) return path;
  const url = new URL(path, 'http://localhost');
  url.searchParams.set('cursor', cursor);
  return `${url.pathname}${url.search}`;
}

/**
 * Returns the body of a request. JSON text is sent as JSON. Any other text is sent as YAML, the format of definitions.
 */
async function bodyOf(cli: Cli, input: string): Promise<unknown> {
  const text = await readInput(input, cli.terminal, '--input');
  try {
    JSON.parse(text);
    return new RawBody('application/json', text);
  } catch {
    return new RawBody('application/yaml', text);
  }
}
