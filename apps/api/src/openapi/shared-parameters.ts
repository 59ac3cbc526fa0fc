import { unusedName } from './schema-examples.js';
import { pascalCase } from './schema-names.js';

/** Rare parameters stay in their operation, so that a new operation seldom changes the names of the components. */
const MIN_USES = 3;

interface Parameter {
  name: string;
  description?: string;
}

interface Operation {
  parameters?: (Parameter | { $ref: string })[];
}

/**
 * Moves each parameter that several operations have to `shared`, which is `components.parameters`. Its name is not that
 * of a schema, because generators make one type of each.
 */
export function shareParameters(
  operations: readonly Operation[],
  shared: Record<string, object>,
  schemas: object,
): void {
  const uses = new Map<string, number>();
  const texts = operations.flatMap(({ parameters = [] }) => parameters.map((each) => JSON.stringify(each)));
  for (const text of texts) uses.set(text, (uses.get(text) ?? 0) + 1);
  const references = new Map<string, { $ref: string }>();
  for (const [text] of [...uses].filter(([, count]) => count >= MIN_USES)) {
    const parameter = JSON.parse(text) as Parameter;
    const name = unusedName(nameOf(parameter), { ...schemas, ...shared });
    shared[name] = parameter;
    references.set(text, { $ref: `#/components/parameters/${name}` });
  }
  for (const operation of operations.filter(({ parameters }) => parameters))
    operation.parameters = operation.parameters?.map((each) => references.get(JSON.stringify(each)) ?? each);
}

/** Returns for example `IdempotencyKey`, and `RunId` for the `id` of a run. */
function nameOf({ name, description = '' }: Parameter): string {
  const noun = name === 'id' && /^Id of the (.+)\.$/.exec(description)?.[1];
  return pascalCase(noun ? `${noun.toLowerCase()} id` : name);
}
