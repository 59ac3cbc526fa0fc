import { type AnyNode, type ExportDefaultDeclaration, type ExportNamedDeclaration, parse, type Program } from 'acorn';

export interface SourceProblem {
  readonly detail: string;
  readonly suggestion: string;
}

/** The language version of the engine that executes the code. */
const LANGUAGE_VERSION = 2025;
const PURE = 'Code cannot import anything. Write everything that it needs into `source`.';
const EXAMPLE = 'Write `export default (input) => …`.';

/** Types of syntax nodes that are certainly not functions. */
const VALUES: ReadonlySet<string> = new Set([
  'Literal',
  'ObjectExpression',
  'ArrayExpression',
  'TemplateLiteral',
  'ClassDeclaration',
  'ClassExpression',
]);

/** Returns why the source of a `code` step cannot be executed, or undefined if it can. */
export function sourceProblem(source: string): SourceProblem | undefined {
  let program: Program;
  try {
    program = parse(source, { ecmaVersion: LANGUAGE_VERSION, sourceType: 'module', locations: true });
  } catch (error) {
    return syntaxProblem(error);
  }
  return importProblem(program) ?? exportProblem(program);
}

function syntaxProblem(error: unknown): SourceProblem {
  if (error instanceof SyntaxError && 'loc' in error) {
    const { line, column } = error.loc as { line: number; column: number };
    const reason = error.message.replace(/ \(\d+:\d+\)$/, '');
    const detail = `Syntax error in line ${line} of \`source\`, column ${column + 1}: ${reason}.`;
    return { detail, suggestion: 'Write a module in JavaScript, for example `export default (input) => input`.' };
  }
  // The parser is recursive, so a source that is nested too deeply overflows the stack.
  return { detail: '`source` is nested too deeply.', suggestion: 'Split it into smaller functions.' };
}

function importProblem(program: Program): SourceProblem | undefined {
  for (const node of nodesOf(program)) {
    const isImport =
      node.type === 'ImportDeclaration' ||
      node.type === 'ImportExpression' ||
      (node.type === 'MetaProperty' && node.meta.name === 'import') ||
      node.type === 'ExportAllDeclaration' ||
      (node.type === 'ExportNamedDeclaration' && node.source);
    if (isImport) return { detail: `Line ${lineOf(node)} of \`source\` has an import.`, suggestion: PURE };
  }
  return undefined;
}

function exportProblem(program: Program): SourceProblem | undefined {
  const exported = program.body.find(
    (node): node is ExportDefaultDeclaration => node.type === 'ExportDefaultDeclaration',
  );
  if (!exported) {
    const isNamed = program.body.some((node) => node.type === 'ExportNamedDeclaration' && namesDefault(node));
    return isNamed ? undefined : { detail: '`source` has no default export.', suggestion: EXAMPLE };
  }
  if (!VALUES.has(exported.declaration.type)) return undefined;
  const detail = `The default export in line ${lineOf(exported)} of \`source\` is not a function.`;
  return { detail, suggestion: EXAMPLE };
}

function namesDefault({ specifiers }: ExportNamedDeclaration): boolean {
  return specifiers.some(
    ({ exported }) => (exported.type === 'Identifier' ? exported.name : exported.value) === 'default',
  );
}

function lineOf({ loc }: AnyNode): number {
  return loc?.start.line ?? 1;
}

function* nodesOf(program: Program): Generator<AnyNode> {
  const open: unknown[] = [program];
  while (open.length > 0) {
    const next = open.pop();
    if (isNode(next)) yield next;
    if (Array.isArray(next) || isNode(next)) for (const member of Object.values(next as object)) open.push(member);
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
