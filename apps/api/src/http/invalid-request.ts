import { closest, DomainError, type ErrorPlace, type GivenName, jsonPointer, parameterPlace } from '@app/kernel';

/** The validated part of a request. `member` points to a body field, whose strings are converted as in a query. */
export type RequestPart = 'body' | 'query' | { member: string };

/** Returns the advice for an unknown field or parameter whose name resembles no known name. */
export type Advice = (name: string, known: ReadonlySet<string>) => string | undefined;

/** Rejects every query parameter. @throws DomainError `invalid_request` with one entry per given parameter */
export function refuseParameters(given: object): void {
  refuseAll(given, { part: 'query', advice: () => 'This operation takes no query parameters. Remove this parameter.' });
}

/** Rejects every field of a body. @throws DomainError `invalid_request` with one entry per given field */
export function refuseFields(given: object): void {
  refuseAll(given, { part: 'body', advice: noAdvice });
}

export interface Unknown {
  part: RequestPart;
  advice: Advice;
}

function refuseAll(given: object, unknown: Unknown): void {
  const errors = Object.keys(given).map((name) => unknownField(name, new Set(), unknown));
  if (errors.length > 0) throw invalidRequest(errors);
}

/** Returns one entry for each field that is not in `known`. */
export function unknownFields(known: ReadonlySet<string>, given: object, unknown: Unknown): ErrorPlace[] {
  return Object.keys(given)
    .filter((name) => !known.has(name))
    .map((name) => unknownField(name, known, unknown));
}

function unknownField(name: string, known: ReadonlySet<string>, { part, advice }: Unknown): ErrorPlace {
  const what = part === 'query' ? 'query parameter' : 'field';
  const near = closest(name, known);
  const suggestion = near === undefined ? advice(name, known) : `Did you mean \`${near}\`?`;
  return placeOf(name, part, `There is no ${what} ${JSON.stringify(name.slice(0, 64))}.`, suggestion);
}

export function noAdvice(): undefined {
  return undefined;
}

/** If the body has a field `config`, advises the caller to put the settings of a connector there. */
export function adviceOnField(name: string, known: ReadonlySet<string>): string | undefined {
  if (!known.has('config')) return undefined;
  return `Put the fields of the connector into \`config\`: {"config": {${JSON.stringify(name.slice(0, 64))}: …}}.`;
}

/** Names of list parameters in other APIs, and what to use here instead. */
const OF_OTHER_APIS: readonly { name: RegExp; parameter: string; advice: string }[] = [
  {
    name: /^(page|offset|skip|start|from|after|before|(page|next)_?(token|cursor)|(starting|ending)_(after|before))$/i,
    parameter: 'cursor',
    advice: 'Lists are paged with `cursor`: send the `next_cursor` of the previous page.',
  },
  {
    name: /^(per_?page|page_?size|size|count|top|max_?results|first|last)$/i,
    parameter: 'limit',
    advice: 'Send the number of resources per page as `limit`.',
  },
  {
    name: /^(sort|sort_?(by|order)|order_?by|dir|direction)$/i,
    parameter: 'order',
    advice: 'Lists are ordered by creation time: send `order=asc` or `order=desc`.',
  },
];

export function adviceOnParameter(name: string, known: ReadonlySet<string>): string {
  const other = OF_OTHER_APIS.find((each) => known.has(each.parameter) && each.name.test(name));
  return other?.advice ?? `Parameters of this operation: ${[...known].map((each) => `\`${each}\``).join(', ')}.`;
}

// Postgres cannot store NUL, so such a parameter never matches. A body is checked for NUL when it is read.
export function withNul(given: object): ErrorPlace[] {
  return Object.entries(given)
    .filter(([, value]) => [value].flat().some((text: unknown) => typeof text === 'string' && text.includes('\0')))
    .map(([name]) => parameterPlace(name, `${name} must not contain NUL characters.`));
}

export function placeOf(name: string, part: RequestPart, detail: string, suggestion?: string): ErrorPlace {
  if (part === 'query') return parameterPlace(name, detail, suggestion);
  const pointer = pointerTo(part, jsonPointer([name]));
  return { pointer, detail, ...(suggestion !== undefined && { suggestion }) };
}

export function pointerTo(part: RequestPart, pointer: string): string {
  return typeof part === 'object' ? `${part.member}${pointer}` : pointer;
}

/** @returns the error `invalid_request`, whose message is the first entry */
export function invalidRequest(errors: readonly ErrorPlace[], givenNames: readonly GivenName[] = []): DomainError {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more, see errors)` : '';
  return new DomainError(
    'invalid_request',
    `${first?.detail ?? ''}${first?.suggestion ? ` ${first.suggestion}` : ''}${more}`,
    { errors, givenNames },
  );
}
