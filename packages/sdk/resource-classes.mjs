import { RESOURCES } from './resources.mjs';

/** Resources whose path takes an id or a name: the name of the parameter, and the function that makes the id. */
const NAMED = { agents: ['agent', 'agentId'], 'knowledge-bases': ['base', 'baseId'] };
/** Length of a comment in characters, if the first sentence is not longer. */
const MAX_COMMENT = 200;
const PARAMETER_NAMES = { n: 'version', a: 'from', b: 'to' };

/**
 * @param {object} document OpenAPI document
 * @returns {string} source of a module with a class for each resource, and a class with the resources that `src` does
 *   not extend
 * @throws {Error} for an operation that the document lacks
 */
export function resourceClasses(document) {
  const operations = operationsById(document);
  const classes = Object.entries(RESOURCES).map(([name, resource]) => classOf(name, resource, operations));
  const generated = Object.keys(RESOURCES).filter((name) => !RESOURCES[name].isExtended);
  const fields = generated.map((name) => `  readonly ${name}: ${className(name)};\n`).join('');
  const created = generated.map((name) => `    this.${name} = new ${className(name)}(transport);\n`).join('');
  return `import type { Answer, Body, Item, Query } from './operation-types.js';
import type { ListOptions, RequestOptions } from './options.js';
import type { List } from './pages.js';
import { agentId, baseId } from './request.js';
import type { Transport } from './transport.js';

${classes.join('\n')}
/** The resources of which each method calls one operation. */
export class Resources {
${fields}
  constructor(transport: Transport) {
${created}  }
}
`;
}

export function routeOf(method, path, isIdempotent) {
  return `${method.toUpperCase()}${isIdempotent ? '*' : ''} ${path}`;
}

function classOf(name, { text, methods }, operations) {
  const bodies = Object.entries(methods).map(([method, id]) => {
    if (!operations.has(id)) throw new Error(`resources.mjs: there is no operation ${id}.`);
    return methodOf(method, operations.get(id));
  });
  return `/** ${text} */
export class ${className(name)} {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

${bodies.join('\n')}}
`;
}

function methodOf(method, { id, path, verb, operation, query }) {
  const ids = pathParameters(path, operation.parameters);
  const [call, options, result] = callOf(id, routeOf(verb, path, operation['x-idempotent']), operation, query);
  const parameters = ids.map(({ name, type }) => `${name}: ${type}`);
  const parts = ids.length === 0 ? [] : [`path: { ${ids.map(({ key, value }) => `${key}: ${value}`).join(', ')} }`];
  if (operation.requestBody) {
    parameters.push(`body: Body<'${id}'>${operation.requestBody.required ? '' : ' = {}'}`);
    parts.push('body');
  }
  if (query.length > 0) {
    parameters.push(`query: Query<'${id}'>${query.some(({ required }) => required) ? '' : ' = {}'}`);
    parts.push('query');
  }
  parameters.push(`options: ${options} = {}`);
  return `  /** ${commentOf(operation)} */
  ${method}(${parameters.join(', ')}): ${result} {
    return this.#transport.${call} { ${parts.join(', ')} }, options);
  }
`;
}

/** Returns the beginning of the call, the type of the options, and the type of the result. */
function callOf(id, route, operation, query) {
  const answered = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
  const types = answered.flatMap(([, { content = {} }]) => Object.keys(content));
  if (query.some(({ name }) => name === 'cursor') && !id.startsWith('get'))
    return [`list('${route}',`, 'ListOptions', `List<Item<'${id}'>>`];
  if (types.length === 0)
    return [`${route.startsWith('DELETE') ? 'remove' : 'call'}('${route}',`, 'RequestOptions', 'Promise<void>'];
  if (!types.includes('application/json'))
    return [`text('${route}', '${types[0]}',`, 'RequestOptions', 'Promise<string>'];
  return [`call('${route}',`, 'RequestOptions', `Promise<Answer<'${id}'>>`];
}

/** The first sentences of the description, which say what the operation does. */
function commentOf({ description }) {
  const [first, ...others] = description
    .split('\n\n')[0]
    .replaceAll('\n', ' ')
    .split(/(?<=\.) (?=[A-Z`])/);
  let text = first;
  for (const sentence of others) {
    if (text.length + sentence.length > MAX_COMMENT) break;
    text += ` ${sentence}`;
  }
  return text.replaceAll('*/', '*\\/');
}

function pathParameters(path, parameters) {
  const segments = path.split('/');
  return segments.flatMap((segment, index) => {
    const key = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (key === undefined) return [];
    const before = segments[index - 1];
    const isLast = !segments.slice(index + 1).some((later) => later.startsWith('{'));
    const [name, idOf] = (key === 'id' && NAMED[before]) || [PARAMETER_NAMES[key] ?? nameOf(key, before, isLast)];
    const { schema } = parameters.find((parameter) => parameter.in === 'path' && parameter.name === key);
    const type = schema.type === 'integer' ? 'number' : 'string';
    return [{ key, name, type, value: idOf === undefined ? name : `${idOf}(${name})` }];
  });
}

/** `id` is the id of the resource itself; before another id it is that of what contains the resource. */
function nameOf(key, collection, isLast) {
  if (key !== 'id') return key.replace(/_id$/, '');
  return isLast ? 'id' : camelCase(collection).replace(/s$/, '');
}

function operationsById({ paths, components }) {
  const resolved = (parameter) =>
    parameter.$ref ? components.parameters[parameter.$ref.replace('#/components/parameters/', '')] : parameter;
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, operation]) => {
      const parameters = (operation.parameters ?? []).map(resolved);
      const query = parameters.filter((parameter) => parameter.in === 'query');
      return [
        operation.operationId,
        { id: operation.operationId, path, verb, operation: { ...operation, parameters }, query },
      ];
    }),
  );
  return new Map(all);
}

function className(name) {
  return name[0].toUpperCase() + name.slice(1);
}

function camelCase(text) {
  return text.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
}
