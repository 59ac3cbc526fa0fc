import { byteText, canonicalJson, type ErrorPlace, isJsonObject, jsonPointer, type JsonObject } from '@app/kernel';
import { checkDefinition } from './checks/check-definition.js';
import { CompileContext } from './compile/context/compile-context.js';
import { allStepNodes } from './steps/step-nodes.js';
import { DefinitionNode } from './compile/context/definition-node.js';
import { compileInto } from './compile/compile-definition.js';
import type { DefinitionWarning, Problem, Problems } from './compile/context/problems.js';
import type { CompiledDefinition } from './model/compiled-definition.js';
import type { SchemaErrorMessage } from './json-schema/schema-error-messages.js';
import { readJson } from './source/json-reader.js';
import { quotingHint, rejectControlCharacters, textToRead } from './source/source-text.js';
import { positionOf, type SourceDocument, SourceError } from './source/source-document.js';
import { readYaml } from './source/yaml-reader.js';
import { structureErrors } from './structure.js';
import type { DescriptionProblem, ToolDescriptions } from './model/tool-description.js';

const MAX_REPORTED = 50;
/** Compiling takes some 0.1 ms for each. */
const MAX_TEMPLATES = 1_000;
const MAX_STEPS = 500;

export type DefinitionFormat = 'yaml' | 'json';

/** Where something is mentioned. It is found when it is asked for: only what is not there is told of. */
interface Mention {
  readonly place: () => Pick<ErrorPlace, 'pointer' | 'line' | 'column' | 'excerpt'>;
}

/** Where a definition mentions a secret. */
export interface SecretUse extends Mention {
  readonly name: string;
}

/** Where a definition names a knowledge base, by its id or its name. */
export interface KnowledgeMention extends Mention {
  readonly base: string;
}

/** Where a definition names a model. */
export interface ModelMention extends Mention {
  /** The provider profile. */
  readonly provider: string;
  /** The model, as the provider calls it. */
  readonly name: string;
}

/** Where a definition names a group whose members approve. */
export interface GroupMention extends Mention {
  readonly group: string;
}

export type ParsedDefinition =
  | {
      readonly ok: true;
      /** As written, without positions. */
      readonly definition: JsonObject;
      /** RFC 8785-style text of `definition`: its SHA-256 is the definition's hash. */
      readonly canonical: string;
      readonly compiled: CompiledDefinition;
      /** Each mention of a secret: whether the workspace has it is for the caller to ask. */
      readonly secrets: readonly SecretUse[];
      /** Each mention of a knowledge base: whether there is one is for the caller to ask as well. */
      readonly knowledge: readonly KnowledgeMention[];
      /** Each mention of a group, likewise. */
      readonly groups: readonly GroupMention[];
      /** Each mention of a model: whether the installation has its provider is for the caller to ask. */
      readonly models: readonly ModelMention[];
      readonly warnings: DefinitionWarning[];
    }
  | {
      readonly ok: false;
      readonly code: 'invalid_yaml' | 'invalid_json' | 'definition_invalid' | 'payload_too_large';
      readonly detail: string;
      /** At most 50, in the order of the text. */
      readonly errors: ErrorPlace[];
    };

/** What the installation allows a definition. */
export interface DefinitionLimits {
  /** Of its text as UTF-8. */
  readonly bytes: number;
  /** Levels of objects and lists, the definition itself counted. */
  readonly depth: number;
}

export interface ParseOptions {
  /** What openapi and mcp tools say about themselves. Without it what depends on that is not checked. */
  readonly described?: { readonly descriptions: ToolDescriptions; readonly problems: readonly DescriptionProblem[] };
}

/**
 * Reads and checks a definition: syntax, form, references, expressions. Never throws for any text, and answers within
 * tens of milliseconds whatever the text is.
 */
export function parseDefinition(
  text: string,
  format: DefinitionFormat,
  limits: DefinitionLimits,
  options: ParseOptions = {},
): ParsedDefinition {
  // A UTF-16 unit takes at least one byte, so the exact count is only needed near the limit.
  if (text.length > limits.bytes || new TextEncoder().encode(text).length > limits.bytes) {
    const detail = `A definition has at most ${byteText(limits.bytes)}.`;
    return { ok: false, code: 'payload_too_large', detail, errors: [] };
  }
  const source = readSource(text, format, limits.depth);
  if ('ok' in source) return source;
  const definition = source.value;
  if (!isJsonObject(definition)) {
    return invalid([
      { pointer: '', detail: 'A definition is an object with at least a `name`.', ...source.position(0) },
    ]);
  }
  const form = structureErrors(definition, (path, target) => source.offsetOf(path, target));
  // Unknown keys do not keep the rest from being understood, so everything is reported at once.
  if (form.some((error) => error.keyword !== 'additionalProperties')) return invalid(placesOf(form, source));
  const canonical = canonicalJson(definition);
  const root = new DefinitionNode(definition, []);
  const excess = excessOf(root, canonical);
  if (excess !== undefined) return invalid([{ pointer: '', detail: excess, ...source.position(0) }]);
  const context = new CompileContext(definition, false);
  const compiled = compileInto(root, context, options.described?.descriptions ?? {});
  checkDefinition(root, compiled, context.problems);
  for (const problem of options.described?.problems ?? []) reportDescription(root, problem, context.problems);
  const problems = [...form, ...context.problems.errors];
  if (problems.length > 0) return invalid(placesOf(problems, source));
  const warnings = placesOf(context.problems.warnings, source);
  const secrets = context.secretUses.map(({ name, path }) => ({
    name,
    place: () => ({ pointer: jsonPointer(path), ...source.position(source.offsetInside(path, name, 0)) }),
  }));
  const knowledge = knowledgeMentions(root, source);
  const groups = groupMentions(root, source);
  const models = modelMentions(compiled, source);
  return { ok: true, definition, canonical, compiled, secrets, knowledge, groups, models, warnings };
}

function knowledgeMentions(root: DefinitionNode, source: SourceDocument): KnowledgeMention[] {
  const steps = [...allStepNodes(root), ...allStepNodes(root, 'on_failure')].filter((node) => node.has('retrieve'));
  const uses = [...root.items('knowledge'), ...steps.map((node) => node.child('retrieve'))];
  return uses.map((node) => {
    const path = node.pathOf('base');
    const place = () => ({ pointer: jsonPointer(path), ...source.position(source.offsetOf(path, 'value')) });
    return { base: node.text('base'), place };
  });
}

function modelMentions({ model }: CompiledDefinition, source: SourceDocument): ModelMention[] {
  if (!model) return [];
  const fallbacks = model.fallback.map((choice, index) => ({ ...choice, path: ['model', 'fallback', index] }));
  const { provider: main, name: mainName } = model;
  return [{ provider: main, name: mainName, path: ['model'] }, ...fallbacks].map(({ provider, name, path }) => ({
    provider,
    name,
    place: () => ({ pointer: jsonPointer(path), ...source.position(source.offsetOf(path, 'value')) }),
  }));
}

function groupMentions(root: DefinitionNode, source: SourceDocument): GroupMention[] {
  return root.objects('approvals').flatMap(([, node]) =>
    node.texts('approvers').map((group, index) => {
      const item = [...node.pathOf('approvers'), index];
      return {
        group,
        place: () => ({ pointer: jsonPointer(item), ...source.position(source.offsetOf(item, 'value')) }),
      };
    }),
  );
}

function reportDescription(root: DefinitionNode, problem: DescriptionProblem, problems: Problems): void {
  const { severity, tool, key, detail, suggestion } = problem;
  const index = root.items('tools').findIndex((node) => node.text('name') === tool);
  problems[severity](['tools', index, ...key], detail, suggestion);
}

/** What there is too much of to compile it while somebody waits. */
function excessOf(root: DefinitionNode, canonical: string): string | undefined {
  const templates = canonical.split('${{').length - 1;
  if (templates > MAX_TEMPLATES) return `There are ${templates} expressions in texts; ${MAX_TEMPLATES} are allowed.`;
  const steps = allStepNodes(root).length + allStepNodes(root, 'on_failure').length;
  return steps > MAX_STEPS ? `There are ${steps} steps; ${MAX_STEPS} are allowed.` : undefined;
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

/** Problems with their positions, in the order of the text; each place and sentence once. */
function placesOf(problems: readonly (Problem | SchemaErrorMessage)[], source: SourceDocument): ErrorPlace[] {
  const placed = problems.map((problem) => ({ problem, offset: offsetOf(problem, source) }));
  placed.sort((a, b) => a.offset - b.offset);
  const places = placed.slice(0, MAX_REPORTED).map(({ problem, offset }) => ({
    pointer: jsonPointer(problem.path),
    detail: problem.detail,
    ...(problem.suggestion ? { suggestion: problem.suggestion } : {}),
    ...source.position(offset),
  }));
  return places;
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
