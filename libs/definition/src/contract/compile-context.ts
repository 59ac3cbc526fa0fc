import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import {
  defaultProblems,
  PatternWork,
  schemaProblems,
  type SchemaValidator,
  schemaValidator,
  schemaWarnings,
} from '@app/json-schema';
import {
  type CelType,
  compileCondition,
  compileExpression,
  compileTemplate,
  type Condition,
  type Expression,
  ExpressionError,
  type ExpressionScope,
  foreignPlaceholders,
  type KnownOutput,
  type Template,
} from '@app/cel';
import type { DefinitionNode } from './definition-node.js';
import { knownShapes, type RequestShape } from './known-shapes.js';
import { PLACES, type Place } from './places.js';
import { type Path, Problems } from './problems.js';

/** The values that a `repeat` step carries from one round to the next. */
export interface CarriedValues {
  /** Id of the `repeat` step. */
  readonly loop: string;
  readonly type: CelType;
}

/** Names that an expression can read in addition to those of its {@link Place}, and callbacks that report its uses. */
export interface ScopeExtras {
  readonly variables?: readonly string[];
  readonly carry?: CarriedValues | undefined;
  readonly stepProblem?: ExpressionScope['stepProblem'];
  readonly onSecret?: ExpressionScope['onSecret'];
  readonly callbackProblem?: ExpressionScope['callbackProblem'];
  readonly onMention?: ExpressionScope['onMention'];
  readonly request?: RequestShape | undefined;
}

/**
 * Maximum number of typed environments for one definition. Creating an environment takes 0.3 ms. If an expression would
 * need a further environment, its types are not checked.
 */
const MAX_ENVIRONMENTS = 64;

/**
 * The state that all parts of the compiler share: the problems found so far and the compiled expressions. If an
 * expression does not compile, the problem is reported, and an expression that always fails replaces it. The rest of
 * the definition is still checked.
 */
export class CompileContext {
  readonly problems = new Problems();
  readonly secretUses: { readonly name: string; readonly path: Path }[] = [];
  /** The known types and schemas of the outputs of the steps compiled so far, by step id. */
  readonly outputs = new Map<string, KnownOutput>();
  private readonly inputSchema: JsonObject | undefined;
  /** Compiled expressions. The outer key is the names in scope, the inner key is the source of the expression. */
  private readonly compiled = new Map<string, Map<string, Expression>>();
  private readonly patterns = new PatternWork();
  private readonly budget = { environments: MAX_ENVIRONMENTS };
  /**
   * Fields that the definition checks with `has()`. The author of the definition knows that they may be missing, so no
   * warning is needed.
   */
  private readonly askedFor: ReadonlySet<string>;

  /**
   * @param isTrusted true for stored definitions, which were checked when they were created. If true, checks that only
   * find mistakes are skipped.
   */
  constructor(
    definition: JsonObject,
    readonly isTrusted: boolean,
  ) {
    this.inputSchema = isJsonObject(definition.input) ? definition.input : undefined;
    const asked = isTrusted ? [] : JSON.stringify(definition).matchAll(/has\(([A-Za-z0-9_.]+)\)/g);
    this.askedFor = new Set([...asked].map(([, field = '']) => field));
  }

  condition(source: string, path: Path, place: Place, extras: ScopeExtras = {}): Condition {
    return (
      this.guard(path, source, () => compileCondition(source, this.scope(place, extras, path))) ??
      failingCondition(source)
    );
  }

  optionalCondition(node: DefinitionNode, key: string, place: Place, extras: ScopeExtras = {}): Condition | null {
    return node.has(key) ? this.condition(node.text(key), node.pathOf(key), place, extras) : null;
  }

  expression(source: string, path: Path, place: Place, extras: ScopeExtras = {}): Expression {
    return (
      this.guard(path, source, () => compileExpression(source, this.scope(place, extras, path))) ??
      failingExpression(source)
    );
  }

  expressions(node: DefinitionNode, key: string, place: Place, extras: ScopeExtras = {}): Expression[] {
    return node.texts(key).map((source, index) => this.expression(source, [...node.pathOf(key), index], place, extras));
  }

  template(source: JsonValue, path: Path, place: Place, extras: ScopeExtras = {}): Template {
    const scope = this.scope(place, extras, path);
    if (!this.isTrusted) this.warnAboutForeignPlaceholders(source, path, scope.names);
    return compileTemplate(source, scope, (inner, error) => this.problems.expression([...path, ...inner], error));
  }

  optionalTemplate(node: DefinitionNode, key: string, place: Place, extras: ScopeExtras = {}): Template | null {
    const source = node.raw(key);
    return source === undefined ? null : this.template(source, node.pathOf(key), place, extras);
  }

  /** Compiles a JSON Schema of the definition. Reports its mistakes, except in trusted definitions. */
  schema(source: JsonValue | undefined, path: Path): SchemaValidator | null {
    if (!isJsonObject(source)) return null;
    if (!this.isTrusted) {
      const problems = schemaProblems(source, this.patterns);
      for (const problem of problems) {
        this.problems.error([...path, ...problem.path], problem.detail, problem.suggestion);
      }
      for (const warning of problems.length > 0 ? [] : schemaWarnings(source)) {
        this.problems.warning([...path, ...warning.path], warning.detail, warning.suggestion);
      }
    }
    return schemaValidator(source);
  }

  /** Like {@link schema}, but for a schema whose defaults are applied to values. Also checks the defaults. */
  schemaWithDefaults(source: JsonValue | undefined, path: Path): SchemaValidator | null {
    const reported = this.problems.errors.length;
    const validator = this.schema(source, path);
    if (!validator || this.isTrusted || this.problems.errors.length > reported) return validator;
    for (const problem of defaultProblems(validator.schema)) {
      this.problems.error([...path, ...problem.path], problem.detail, problem.suggestion);
    }
    return validator;
  }

  private warnAboutForeignPlaceholders(source: JsonValue, path: Path, names: ReadonlySet<string>): void {
    if (Array.isArray(source))
      source.forEach((item, at) => this.warnAboutForeignPlaceholders(item, [...path, at], names));
    else if (isJsonObject(source)) {
      for (const [key, member] of Object.entries(source))
        this.warnAboutForeignPlaceholders(member, [...path, key], names);
    } else if (typeof source === 'string') {
      const [first] = foreignPlaceholders(source, names);
      if (first === undefined) return;
      const expression = first.replace(/^\$?\{+|\}+$/g, '').trim();
      this.problems.warning(
        path,
        `\`${first}\` is not an expression, so it is kept as plain text.`,
        `Write \`\${{ ${expression} }}\` to insert the value.`,
      );
    }
  }

  private scope(place: Place, extras: ScopeExtras, path: Path): ExpressionScope {
    return {
      names: new Set([...PLACES[place], ...(extras.variables ?? []), ...(extras.carry ? ['carry'] : [])]),
      isTrusted: this.isTrusted,
      compiled: this.compiledAt(place, extras),
      ...(this.isTrusted ? {} : this.typing(place, extras, path)),
      ...(extras.stepProblem ? { stepProblem: extras.stepProblem } : {}),
      ...(extras.onSecret ? { onSecret: extras.onSecret } : {}),
      ...(extras.callbackProblem ? { callbackProblem: extras.callbackProblem } : {}),
      ...(extras.onMention ? { onMention: extras.onMention } : {}),
    };
  }

  private compiledAt(place: Place, { variables = [], carry, request }: ScopeExtras): Map<string, Expression> {
    const key = [place, request?.operation ?? '', carry?.loop ?? '', ...variables].join(' ');
    const known = this.compiled.get(key) ?? new Map<string, Expression>();
    this.compiled.set(key, known);
    return known;
  }

  private typing(place: Place, { carry, request }: ScopeExtras, path: Path): Partial<ExpressionScope> {
    const input = this.inputSchema;
    return {
      shapes: knownShapes(place, { ...(input && { input }), ...(request && { request }), ...(carry && { carry }) }),
      stepOutput: (id) => this.outputs.get(id),
      budget: this.budget,
      onOptional: (text) => this.warnAboutOptional(text, path),
    };
  }

  private warnAboutOptional(field: string, path: Path): void {
    if (this.askedFor.has(field)) return;
    const detail = `\`${field}\` may be missing, because its schema does not require it. If it is missing, the expression fails.`;
    this.problems.warning(
      path,
      detail,
      `Require the field in the schema, or check first whether it exists: \`has(${field})\`.`,
    );
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
  return { source, type: 'dyn', evaluate: () => fail(source) };
}

function failingCondition(source: string): Condition {
  return { source, evaluate: () => fail(source), mentions: () => false, readValues: () => [] };
}

function fail(source: string): never {
  throw new ExpressionError('failed', `\`${source}\` does not compile.`, source);
}
