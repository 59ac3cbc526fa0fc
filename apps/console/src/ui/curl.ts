export interface SentRequest {
  method: string;
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/** Returns the request as a command for a shell. Secrets, which the service never returns, become `<SECRET>`. */
export function curlCommand({ method, url, headers = {}, body }: SentRequest): string {
  return [
    `curl -X ${quoted(method)} ${quoted(url)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-raw ${quoted(body)}`]),
  ].join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll('[redacted]', '<SECRET>').replaceAll("'", String.raw`'\''`)}'`;
}
