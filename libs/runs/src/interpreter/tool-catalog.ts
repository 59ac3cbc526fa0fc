import { type CompiledDefinition, KNOWLEDGE_RETRIEVAL, type ToolOperation, withoutFileKeyword } from '@app/definition';
import type { JsonObject } from '@app/kernel';
import type { PromptTool } from './prompt.js';

const MAX_NAME_LENGTH = 64;

/**
 * The operations that a model may call. The model sees them by names that all model providers accept: `orders.get`
 * becomes `orders_get`. A name that the model sends is also accepted if it differs from a known name only in
 * punctuation.
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

/** Excludes the built-in tools `notify`, `state` and `files`, and the operation {@link KNOWLEDGE_RETRIEVAL}. */
export function declaredOperations({ operations, tools }: CompiledDefinition): ToolOperation[] {
  return [...operations.values()].filter(({ tool: name, fullName }) => {
    const tool = tools.get(name);
    if (tool?.kind === 'knowledge') return fullName !== KNOWLEDGE_RETRIEVAL;
    if (tool?.kind === 'state' || tool?.kind === 'files') return !tool.isBuiltIn;
    return tool?.kind !== 'email' || tool.to !== null;
  });
}

/** Names that a model invented are converted too, because later prompts contain them. */
export function nameOf(name: string): string {
  return name.replace(/[^a-zA-Z0-9]+/g, '_').slice(0, MAX_NAME_LENGTH) || '_';
}

function describe({ fullName, description, scope }: ToolOperation): string {
  const what = description ?? fullName;
  return scope === 'write' ? `${what} (changes something)` : what;
}

/** It is the request schema of the operation or, if there is none, a schema with the parameters of the URL path. */
function argumentsOf({ request, expects, http }: ToolOperation): JsonObject {
  const schema = request?.schema ?? expects;
  if (schema) return { type: 'object', ...withoutFileKeyword(schema) };
  const names = (http?.path ?? []).flatMap((part) => ('parameter' in part ? [part.parameter] : []));
  const properties = Object.fromEntries(names.map((name) => [name, { type: ['string', 'number'] }]));
  return { type: 'object', properties, required: names, additionalProperties: true };
}
