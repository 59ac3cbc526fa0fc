import { type CompiledDefinition, KNOWLEDGE_RETRIEVAL, type ToolOperation } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import type { PromptTool } from './prompt.js';

/** Longest name that all providers accept. */
const MAX_NAME_LENGTH = 64;

/**
 * The operations that a model may call, under names that every provider accepts: `orders.get` is `orders_get`. A name
 * from a model that differs only in punctuation is accepted too.
 */
export class ToolCatalog {
  readonly tools: PromptTool[];
  private readonly byName = new Map<string, ToolOperation>();

  constructor(operations: readonly ToolOperation[]) {
    this.tools = operations.map((operation) => {
      const name = this.freeName(nameOf(operation.fullName));
      this.byName.set(name, operation);
      return { name, description: describe(operation), schema: argumentsOf(operation) };
    });
  }

  find(said: string): ToolOperation | undefined {
    return this.byName.get(said) ?? this.byName.get(nameOf(said));
  }

  nameFor(operation: ToolOperation): string | undefined {
    return [...this.byName].find(([, known]) => known === operation)?.[0];
  }

  private freeName(name: string): string {
    if (!this.byName.has(name)) return name;
    for (let number = 2; ; number++) {
      const numbered = `${name.slice(0, MAX_NAME_LENGTH - 4)}_${number}`;
      if (!this.byName.has(numbered)) return numbered;
    }
  }
}

/**
 * The operations that the author gave the model: all tools except the built-in `notify`, which only steps can use, and
 * of knowledge tools only the search.
 */
export function declaredOperations({ operations, tools }: CompiledDefinition): ToolOperation[] {
  return [...operations.values()].filter(({ tool: name, fullName }) => {
    const tool = tools.get(name);
    if (tool?.kind === 'knowledge') return fullName !== KNOWLEDGE_RETRIEVAL;
    return tool?.kind !== 'email' || tool.to !== null;
  });
}

/** Also normalises names that a model invented, so that they can be sent back to its provider. */
export function nameOf(name: string): string {
  return name.replace(/[^a-zA-Z0-9]+/g, '_').slice(0, MAX_NAME_LENGTH) || '_';
}

function describe({ fullName, description, scope }: ToolOperation): string {
  const what = description ?? fullName;
  return scope === 'write' ? `${what} (changes something)` : what;
}

/** The schema of the operation; without one, the parameters of its path. */
function argumentsOf({ request, expects, http }: ToolOperation): JsonObject {
  const schema = request?.schema ?? expects;
  if (schema) return { type: 'object', ...schema };
  const names = (http?.path ?? []).flatMap((part) => ('parameter' in part ? [part.parameter] : []));
  const properties = Object.fromEntries(names.map((name) => [name, { type: ['string', 'number'] }]));
  return { type: 'object', properties, required: names, additionalProperties: true };
}
