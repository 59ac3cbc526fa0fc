import { isJsonObject, type JsonValue } from '@app/kernel';

/** An error that a provider reported in the body of a response, often with the HTTP status 200. */
export class ReportedError extends Error {
  override readonly name = 'ReportedError';

  /** @param status HTTP status that belongs to the error. */
  constructor(
    message: string,
    readonly status: number | undefined,
  ) {
    super(message);
  }
}

/** The first match counts. */
const STATUSES: readonly (readonly [RegExp, number])[] = [
  [/rate_?limit|too_many_requests|resource_exhausted|insufficient_quota/i, 429],
  [/overloaded|unavailable|server_error|internal|api_error|timeout|bad_gateway/i, 503],
  [/authentication|unauthori[sz]ed|invalid_api_key/i, 401],
  [/billing|payment|insufficient_credits/i, 402],
  [/permission|forbidden/i, 403],
  [/not_found/i, 404],
  [/invalid|bad_?request|context_length|content_policy/i, 400],
];

/** Knows the forms of OpenAI, Anthropic, OpenRouter, vLLM and Ollama. */
export function reportedError(body: JsonValue | undefined): ReportedError | undefined {
  if (!isJsonObject(body)) return undefined;
  const { error, response, choices, type, object } = body;
  if (error !== undefined && error !== null && error !== false) return errorOf(error, body);
  if (type === 'error' || object === 'error') return errorOf(body, body);
  if (type === 'response.failed' && isJsonObject(response)) return reportedError(response) ?? errorOf(response, body);
  const choice = Array.isArray(choices) ? choices[0] : undefined;
  return isJsonObject(choice) && isJsonObject(choice.error) ? errorOf(choice.error, body) : undefined;
}

function errorOf(error: JsonValue, body: JsonValue): ReportedError {
  const { message, detail, metadata, code, status, type } = isJsonObject(error) ? error : { message: error };
  const words = [message, detail].find((each) => typeof each === 'string' && each.trim() !== '');
  // OpenRouter: the message is general, and this is the response of the provider behind it.
  const raw = isJsonObject(metadata) && typeof metadata.raw === 'string' ? ` (${metadata.raw})` : '';
  const text = typeof words === 'string' ? words + raw : JSON.stringify(error);
  return new ReportedError(text, statusOf([status, code, type, isJsonObject(body) ? body.code : null]));
}

function statusOf(signs: readonly (JsonValue | undefined)[]): number | undefined {
  const numbers = signs.map((sign) => (typeof sign === 'string' && /^\d{3}$/.test(sign) ? Number(sign) : sign));
  const number = numbers.find((each) => typeof each === 'number' && each >= 400 && each <= 599);
  if (typeof number === 'number') return number;
  for (const sign of signs) {
    const known = typeof sign === 'string' ? STATUSES.find(([words]) => words.test(sign)) : undefined;
    if (known) return known[1];
  }
  return undefined;
}
