import { type Json, listOf, objectOf, textOf } from '../plan/definition-json.js';

const VALUE = /^\$\{\{ *body\.([A-Za-z][\w.]*) *\}\}$/;
const CONDITION = /\bbody\.([A-Za-z][\w.]*) *== *"([^"\\]*)"/g;

/**
 * Returns a body from which the webhook trigger computes the input. Follows the members of `map` that are a single
 * value of the body, and the texts to which `filter` compares values.
 */
export function exampleBody(definition: unknown, trigger: string, input: Json): Json {
  const triggers = listOf(objectOf(definition).triggers).map(objectOf);
  const { map, filter } = triggers.find(({ id }) => id === trigger) ?? {};
  let body = map === undefined ? input : {};
  for (const [name, expression] of Object.entries(objectOf(map))) {
    const path = VALUE.exec(textOf(expression))?.[1];
    if (path !== undefined) body = withValue(body, path.split('.'), input[name] ?? `<${name}>`);
  }
  for (const [, path = '', text] of textOf(filter).matchAll(CONDITION)) body = withValue(body, path.split('.'), text);
  return body;
}

function withValue(object: Json, [name = '', ...rest]: readonly string[], value: unknown): Json {
  const member = Object.hasOwn(object, name) ? objectOf(object[name]) : {};
  return { ...object, [name]: rest.length === 0 ? value : withValue(member, rest, value) };
}
