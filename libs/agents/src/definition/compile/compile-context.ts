import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { SchemaValidator } from '../schema-validator.js';
import { compileCondition, compileExpression } from '../expressions/cel-environment.js';
import type { ExpressionScope } from '../expressions/cel-names.js';
import { type Condition, type Expression, ExpressionError, type Template } from '../expressions/expression.js';
import { compileTemplate } from '../expressions/template.js';
import { schemaValidator } from '../json-schema.js';
import { schemaProblems } from '../schema-problems.js';
import type { DefinitionNode } from './definition-node.js';
import { PLACES, type Place } from './places.js';
import { type Path, Problems } from './problems.js';

/** What a place adds to the names that are always in scope there. */
export interface ScopeExtras {
  /** Names bound by the `for_each` steps around. */
  readonly variables?: readonly string[];
  readonly stepProblem?: ExpressionScope['stepProblem'];
  readonly onSecret?: ExpressionScope['onSecret'];
}

/**
 * What all parts of the compiler share: the problems found so far and how texts become expressions. A text that cannot
 * be compiled is reported and stands for an expression that fails, so that the rest is compiled and reported as well.
 */
export class CompileContext {
  readonly problems = new Problems();
  /** Each mention of a secret, in the order of the definition. */
  readonly secretUses: { readonly name: string; readonly path: Path }[] = [];
  private readonly inputSchema: JsonObject | undefined;

  /** @param isTrusted true for stored definitions: what only finds mistakes is left out. */
  constructor(
    definition: JsonObject,
    readonly isTrusted: boolean,
  ) {
    this.inputSchema = isJsonObject(definition.input) ? definition.input : undefined;
  }

  condition(source: string, path: Path, place: Place, extras: ScopeExtras = {}): Condition {
    return (
      this.guard(path, source, () => compileCondition(source, this.scope(place, extras))) ?? failingCondition(source)
    );
  }

  optionalCondition(node: DefinitionNode, key: string, place: Place, extras: ScopeExtras = {}): Condition | null {
    return node.has(key) ? this.condition(node.text(key), node.pathOf(key), place, extras) : null;
  }

  expression(source: string, path: Path, place: Place, extras: ScopeExtras = {}): Expression {
    return (
      this.guard(path, source, () => compileExpression(source, this.scope(place, extras))) ?? failingExpression(source)
    );
  }

  expressions(node: DefinitionNode, key: string, place: Place, extras: ScopeExtras = {}): Expression[] {
    return node.texts(key).map((source, index) => this.expression(source, [...node.pathOf(key), index], place, extras));
  }

  template(source: JsonValue, path: Path, place: Place, extras: ScopeExtras = {}): Template {
    return compileTemplate(source, this.scope(place, extras), (inner, error) =>
      this.problems.expression([...path, ...inner], error),
    );
  }

  optionalTemplate(node: DefinitionNode, key: string, place: Place, extras: ScopeExtras = {}): Template | null {
    const source = node.raw(key);
    return source === undefined ? null : this.template(source, node.pathOf(key), place, extras);
  }

  /** A JSON Schema of the definition; its mistakes are looked for when the definition is created. */
  schema(source: JsonValue | undefined, path: Path): SchemaValidator | null {
    if (!isJsonObject(source)) return null;
    if (!this.isTrusted) {
      for (const problem of schemaProblems(source)) {
        this.problems.error([...path, ...problem.path], problem.detail, problem.suggestion);
      }
    }
    return schemaValidator(source);
  }

  private scope(place: Place, extras: ScopeExtras): ExpressionScope {
    return {
      names: new Set([...PLACES[place], ...(extras.variables ?? [])]),
      isTrusted: this.isTrusted,
      ...(this.inputSchema ? { inputSchema: this.inputSchema } : {}),
      ...(extras.stepProblem ? { stepProblem: extras.stepProblem } : {}),
      ...(extras.onSecret ? { onSecret: extras.onSecret } : {}),
    };
  }

  private guard<T>(path: Path, source: string, compile: () => T): T | undefined {
    try {
      return compile();
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      this.problems.expression(path, error);
      return undefined;
    }
  }
}

function failingExpression(source: string): Expression {
  return { source, evaluate: () => fail(source) };
}

function failingCondition(source: string): Condition {
  return { source, evaluate: () => fail(source) };
}

function fail(source: string): never {
  throw new ExpressionError('failed', `\`${source}\` does not compile.`, source);
}
