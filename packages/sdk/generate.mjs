/**
 * Writes `src/generated` and `src/resources.generated.ts` from `openapi.json`. The output is the types of all schemas and operations, the ids
 * of operations by their routes, and the classes of the resources.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import openapiTypescript, { astToString } from 'openapi-typescript';
import { resourceClasses, routeOf } from './resource-classes.mjs';

const FOLDER = import.meta.dirname;
const GENERATED = join(FOLDER, 'src/generated');
const METHODS = ['get', 'put', 'post', 'patch', 'delete', 'options'];
const NOTICE = '/** Made from openapi.json by generate.mjs. Do not edit. */\n';

const document = JSON.parse(await readFile(join(FOLDER, 'openapi.json'), 'utf8'));
await mkdir(GENERATED, { recursive: true });
await writeFile(join(GENERATED, 'operations.ts'), NOTICE + operationTable(document));
await writeFile(join(FOLDER, 'src/resources.generated.ts'), NOTICE + resourceClasses(document));
await writeFile(join(GENERATED, 'schema.d.ts'), NOTICE + (await schemaTypes(document)));

/**
 * The id of each operation by its route: its method, `*` if it accepts an idempotency key, and its path. The client
 * contains the routes only, because its script is small then; the ids are in its types.
 */
function operationTable({ paths }) {
  const rows = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => {
      const { operationId, 'x-idempotent': isIdempotent } = item[method];
      return `  '${routeOf(method, path, isIdempotent)}': '${operationId}',\n`;
    }),
  );
  return `export const OPERATIONS = {\n${rows.join('')}} as const;\n`;
}

/**
 * Omits parts that no type of the SDK uses. These are error responses (each is a `Problem`), headers, examples, and the
 * index of operations by path.
 */
async function schemaTypes(document) {
  const { paths, webhooks = {}, components } = structuredClone(document);
  inlineParameters(paths, components.parameters);
  for (const item of [...Object.values(paths), ...Object.values(webhooks)]) {
    for (const operation of METHODS.map((method) => item[method]).filter(Boolean)) reduce(operation);
  }
  const { schemas, parameters, securitySchemes } = components;
  const nodes = await openapiTypescript(
    { ...document, paths, webhooks, components: { schemas, parameters, securitySchemes } },
    { rootTypes: true, rootTypesNoSchemaPrefix: true },
  );
  return shortened(astToString(nodes.filter((node) => node.name?.text !== 'paths')));
}

/**
 * Shortens the generated types. Removes empty fields, which are half of the text of an operation. In doc comments,
 * removes text that repeats the type, multi-line examples, and examples of ids and empty values. Puts short comments on
 * one line, and indents with tabs.
 */
function shortened(types) {
  return types
    .replace(/(\/\*\*|^ +\*) @description /gm, '$1 ')
    .replace(/^ +\w+\?: never;\n/gm, '')
    .replace(/^ +headers: \{\n +\[name: string\]: unknown;\n +\};\n/gm, '')
    .replace(/^ +parameters: \{\n +\};\n/gm, '')
    .replace(/\n +\* @enum \{string\}/g, '')
    .replace(/\/\*\*\n +\* The kind\. \(enum property replaced by openapi-typescript\)\n +\*\/\n\s*/g, '')
    .replace(/\n +\* @example [[{][^\n]*(?:\n +\* {2,}[^\n]*)+/g, '')
    .replace(/\/\*\*\n +\* ([^\n]*)\n(?: +\* (@\w+ [^\n]*)\n)? +\*\//g, (_, text, tag) =>
      tag === undefined ? `/** ${text} */` : `/** ${text} ${tag} */`,
    )
    .replace(/ @example (?:null|true|false|\[\]|[a-z]+_01[0-9a-z]{24}) \*\//g, ' */')
    .replace(/^( {4})+/gm, (indentation) => '\t'.repeat(indentation.length / 4));
}

function inlineParameters(paths, shared) {
  const used = new Set();
  const inlined = ({ $ref, ...own }) => {
    if (!$ref) return own;
    used.add($ref.replace('#/components/parameters/', ''));
    return { ...shared[$ref.replace('#/components/parameters/', '')] };
  };
  for (const operation of Object.values(paths).flatMap(Object.values))
    operation.parameters = operation.parameters?.map(inlined);
  for (const name of used) delete shared[name];
}

function reduce(operation) {
  operation.parameters = operation.parameters?.filter((parameter) => parameter.in !== 'header');
  // Path parameters need no description, because the methods of the SDK describe the ids.
  for (const parameter of operation.parameters ?? []) if (parameter.in === 'path') delete parameter.description;
  for (const [status, response] of Object.entries(operation.responses)) {
    if (Number(status) >= 400) delete operation.responses[status];
    else operation.responses[status] = { description: '', content: response.content };
  }
  for (const { content = {} } of [...Object.values(operation.responses), operation.requestBody ?? {}]) {
    for (const media of Object.values(content)) {
      delete media.example;
      delete media.examples;
    }
  }
}
