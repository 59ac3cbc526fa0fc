/** Query parameters of the page URL. The value is a list if the parameter is repeated. */
export type Search = Record<string, string | string[] | undefined>;

/**
 * Parses the query of the page URL. Keeps every value as a string, because the API validates the values. A query has
 * the same meaning in the console and in the API.
 */
export function parseSearch(query: string): Search {
  const parameters = new URLSearchParams(query);
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length > 1 ? values : (values[0] ?? '')];
    }),
  );
}

export function stringifySearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value])
      if (typeof each === 'string' || typeof each === 'number') parameters.append(name, String(each));
  }
  const text = parameters.toString().replaceAll('%2C', ',').replaceAll('%2F', '/');
  return text === '' ? '' : `?${text}`;
}

export function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
