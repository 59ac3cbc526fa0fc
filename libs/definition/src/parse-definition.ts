import {
  byteText,
  canonicalJson,
  type ErrorPlace,
  isInexact,
  isJsonObject,
  jsonPointer,
  type JsonObject,
  type JsonValue,
} from '@app/kernel';
import { checkDefinition } from './checks/check-definition.js';
import { CompileContext } from './contract/compile-context.js';
import { allStepNodes } from './steps/step-nodes.js';
import { DefinitionNode } from './contract/definition-node.js';
import { compileInto } from './compile/compile-definition.js';
import type { DefinitionWarning, Problem, Problems } from './contract/problems.js';
import type { CompiledDefinition } from './model/compiled-definition.js';
import { CompiledSchema, type SchemaErrorMessage, schemaErrorMessages, WorkBudget } from '@app/json-schema';
import { mentionsIn, type Mentions } from './mentions.js';
import { readJson } from './source/json-reader.js';
import { quotingHint, rejectControlCharacters, textToRead } from './source/source-text.js';
import { textFix } from './source/text-fix.js';
import { positionOf, type SourceDocument, SourceError } from './source/source-document.js';
import { readYaml } from './source/yaml-reader.js';
import { DEFINITION_WORDING } from './schema/definition-wording.js';
import { AGENT_V1_SCHEMA } from './schema/agent-v1.schema.js';
import type { DescriptionProblem, ToolDescriptions } from './model/tool-description.js';

const MAX_REPORTED = 50;
/**
 * After so many errors, the check stops at the next one. Errors are sorted before the first ones are reported. A text
 * with fewer errors is small enough for the budget of the check.
 */
const MAX_FOUND = 1_000;
/** Maximum number of templates in a definition. Compiling a template takes about 0.1 ms. */
const MAX_TEMPLATES = 1_000;
const MAX_STEPS = 500;

export type DefinitionFormat = 'yaml' | 'json';

export type ParsedDefinition =
  | (Mentions & {
      readonly ok: true;
      readonly definition: JsonObject;
      /** Canonical JSON of `definition`. Its SHA-256 is the hash of the definition. */
      readonly canonical: string;
      readonly compiled: CompiledDefinition;
      readonly warnings: DefinitionWarning[];
    })
  | {
      readonly ok: false;
      readonly code: 'invalid_yaml' | 'invalid_json' | 'definition_invalid' | 'payload_too_large';
      readonly detail: string;
      /** At most 50 errors, sorted by their position in the text. */
      readonly errors: ErrorPlace[];
    };

export interface DefinitionLimits {
  /** Maximum size of the text, in bytes of UTF-8. */
  readonly bytes: number;
  /** Maximum nesting of objects and lists, including the definition itself. */
  readonly depth: number;
  /** Maximum value of `limits.max_steps`. */
  readonly runSteps: number;
}

export interface ParseOptions {
  /**
   * The descriptions of openapi and mcp tools, and the problems found in them. If missing, calls of the
   * operations of these tools are not checked.
   */
  readonly described?: { readonly descriptions: ToolDescriptions; readonly problems: readonly DescriptionProblem[] };
}

/**
 * Reads and checks a definition: syntax, schema, references and expressions. Never throws, and takes at most tens of
 * milliseconds for any text.
 */
export function parseDefinition(
  text: string,
  format: DefinitionFormat,
  limits: DefinitionLimits,
  options: ParseOptions = {},
): ParsedDefinition {
  // In UTF-8, each UTF-16 unit takes at least one byte. Most texts that are too large are rejected by their length.
  if (text.length > limits.bytes || new TextEncoder().encode(text).length > limits.bytes) {
    const detail = `The definition is larger than ${byteText(limits.bytes)}. Make it shorter, or split it into several agents.`;
    return { ok: false, code: 'payload_too_large', detail, errors: [] };
  }
  const source = readSource(text, format, limits.depth);
  if ('ok' in source) return source;
  const definition = source.value;
  if (!isJsonObject(definition)) {
    return invalid([
      { pointer: '', detail: 'A definition must be an object with at least a `name`.', ...source.position(0) },
    ]);
  }
  const schemaErrors = structureErrors(definition, (path, target) => source.offsetOf(path, target));
  // A definition with unknown keys can still be compiled, so that all mistakes are reported at once. Any other schema
  // error prevents the compilation.
  if (schemaErrors.some((error) => error.keyword !== 'additionalProperties'))
    return invalid(placesOf(schemaErrors, source));
  const canonical = canonicalJson(definition);
  const root = new DefinitionNode(definition, []);
  const excess = excessOf(root, canonical);
  if (excess !== undefined) return invalid([{ pointer: '', detail: excess, ...source.position(0) }]);
  const context = new CompileContext(definition, false);
  const compiled = compileInto(root, context, options.described?.descriptions ?? {});
  checkDefinition(root, compiled, context.problems, limits.runSteps);
  for (const problem of options.described?.problems ?? []) reportDescription(root, problem, context.problems);
  const problems = [...schemaErrors, ...context.problems.errors];
  if (problems.length > 0) return invalid(placesOf(problems, source));
  warnOfInexactIntegers(definition, source, context.problems);
  const warnings = placesOf(context.problems.warnings, source);
  const mentions = mentionsIn(root, compiled, context.secretUses, source);
  return { ok: true, definition, canonical, compiled, ...mentions, warnings };
}

/** Members of JSON Schema that limit a number. Many schemas contain the limits of 64-bit integers. */
const LIMITS = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']);

/** Warns of constants that runs would use as another number, because JSON numbers are doubles. */
function warnOfInexactIntegers(definition: JsonObject, source: SourceDocument, problems: Problems): void {
  const visit = (value: JsonValue, path: readonly (string | number)[]): void => {
    if (typeof value === 'number' && !Number.isSafeInteger(value) && Number.isInteger(value)) {
      const digits = /^-?\d{16,}(?![\d.eE])/.exec(source.text.slice(source.offsetOf(path, 'value')))?.[0];
      if (digits === undefined || !isInexact(digits, value) || LIMITS.has(String(path.at(-1)))) return;
      const detail = `The integer ${digits} is beyond 2^53, so runs would use ${value} instead.`;
      problems.warning(path, detail, 'Write it as a string, in quotes.');
    } else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Array.isArray(value) ? value.entries() : Object.entries(value))
        visit(member, [...path, key]);
  };
  visit(definition, []);
}

function reportDescription(root: DefinitionNode, problem: DescriptionProblem, problems: Problems): void {
  const { severity, tool, key, detail, suggestion } = problem;
  const index = root.items('tools').findIndex((node) => node.text('name') === tool);
  problems[severity](['tools', index, ...key], detail, suggestion);
}

function excessOf(root: DefinitionNode, canonical: string): string | undefined {
  const templates = canonical.split('${{').length - 1;
  if (templates > MAX_TEMPLATES)
    return `The definition has ${templates} expressions in strings; at most ${MAX_TEMPLATES} are allowed.`;
  const steps = allStepNodes(root).length + allStepNodes(root, 'on_failure').length;
  return steps > MAX_STEPS ? `The definition has ${steps} steps; at most ${MAX_STEPS} are allowed.` : undefined;
}

function readSource(
  text: string,
  format: DefinitionFormat,
  maxDepth: number,
): SourceDocument | Extract<ParsedDefinition, { ok: false }> {
  const code = format === 'json' ? 'invalid_json' : 'invalid_yaml';
  const content = textToRead(text, format);
  try {
    rejectControlCharacters(content, format);
    return format === 'json' ? readJson(content, maxDepth) : readYaml(content, maxDepth);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const { detail } = error;
    const position = positionOf(content, error.offset);
    const suggestion = (format === 'yaml' && quotingHint(position.excerpt)) || error.suggestion;
    const place = { pointer: jsonPointer(error.path), detail, ...(suggestion ? { suggestion } : {}), ...position };
    const where = `Line ${position.line}, column ${position.column}: ${detail}`;
    return { ok: false, code, detail: suggestion ? `${where} ${suggestion}` : where, errors: [place] };
  }
}

/** Converts problems to errors with positions. Returns the first 50 errors, sorted by position. */
function placesOf(problems: readonly (Problem | SchemaErrorMessage)[], source: SourceDocument): ErrorPlace[] {
  const placed = problems.map((problem) => ({ problem, offset: offsetOf(problem, source) }));
  placed.sort((a, b) => a.offset - b.offset);
  return placed.slice(0, MAX_REPORTED).map(({ problem, offset }) => {
    const fix = textFix(problem, offset, source);
    return {
      pointer: jsonPointer(problem.path),
      detail: problem.detail,
      ...(problem.suggestion ? { suggestion: problem.suggestion } : {}),
      ...source.position(offset),
      ...(fix && { fix }),
    };
  });
}

function offsetOf(problem: Problem | SchemaErrorMessage, source: SourceDocument): number {
  if ('fragment' in problem && problem.fragment) {
    return source.offsetInside(problem.path, problem.fragment.text, problem.fragment.offset);
  }
  return source.offsetOf(problem.path, problem.target);
}

function invalid(errors: ErrorPlace[]): ParsedDefinition {
  const [first] = errors;
  const where = first?.line === undefined ? '' : `Line ${first.line}: `;
  const more = errors.length > 1 ? ` And ${errors.length - 1} more.` : '';
  return {
    ok: false,
    code: 'definition_invalid',
    detail: `${where}${first?.detail ?? 'The definition is not valid.'}${more}`,
    errors,
  };
}

let schema: CompiledSchema | undefined;

function structureErrors(definition: JsonObject, offsetOf: SourceDocument['offsetOf']): SchemaErrorMessage[] {
  schema ??= new CompiledSchema(AGENT_V1_SCHEMA);
  const found = schema.errors(definition, new WorkBudget(), MAX_FOUND);
  if (found.length === 0) return [];
  const errors = schemaErrorMessages(found, definition, { ...DEFINITION_WORDING, offsetOf });
  const ambiguous = new Set(
    errors
      .filter((error) => error.keyword === 'oneOf')
      .map((error) => (error.target === 'key' ? jsonPointer(error.path.slice(0, -1)) : error.pointer)),
  );
  return errors.filter((error) => !isConsequence(error, ambiguous));
}

/**
 * Whether an error is only a consequence of another error. If a step has the keys of two kinds, the schemas of these
 * kinds also report missing and unknown keys. `ambiguous` contains the pointers of such steps.
 */
function isConsequence(error: SchemaErrorMessage, ambiguous: ReadonlySet<string>): boolean {
  if (error.keyword === 'required') return ambiguous.has(error.pointer);
  return error.keyword === 'additionalProperties' && ambiguous.has(jsonPointer(error.path.slice(0, -1)));
}
