/** Computes figures about the size of the code, for new developers. Tests and migrations are not counted. */
import { basename } from 'node:path/posix';
import ts from 'typescript';

const SMALL_LINES = 30;
/** Paths of files that may be small, because they contain only lists or declarations. */
const MAY_BE_SMALL = /^(index|registry|main)\.tsx?$|\.(module|entity)\.ts$|\/(steps|tools|triggers)\/[^/]+\.ts$/;
const LISTED = (path) => MAY_BE_SMALL.test(path) || MAY_BE_SMALL.test(basename(path));

/** @param {readonly {path: string, text: string}[]} files */
export function counts(files) {
  const typescript = files.filter(({ path }) => /\.tsx?$/.test(path));
  const classes = typescript.flatMap(({ path, text }) => injectables(path, text));
  const api = typescript.filter(({ path }) => path.startsWith('apps/api/'));
  const routes = api.flatMap(({ text }) => [...text.matchAll(/^\s+@(Get|Post|Put|Patch|Delete)\(/gm)]).length;
  return {
    files: files.length,
    lines: total(files),
    filesByLib: byLib(files),
    smallFiles: typescript.filter(({ path, text }) => linesOf(text) <= SMALL_LINES && !LISTED(path)).length,
    longestFiles: typescript
      .map(({ path, text }) => [linesOf(text), path])
      .sort(([a], [b]) => b - a)
      .slice(0, 5)
      .map(([lines, path]) => `${path} ${lines}`),
    injectables: classes.length,
    oneMethodInjectables: classes.filter(({ methods }) => methods === 1).length,
    routes,
    apiLinesPerRoute: Math.round(total(api) / routes),
    settings: settings(files),
  };
}

/** Returns the number of entries in the `providers` of each module. */
export function providersByModule(files) {
  const modules = files.filter(({ path }) => path.endsWith('.module.ts'));
  return Object.fromEntries(
    modules.map(({ path, text }) => [path, providersIn(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))]),
  );
}

function providersIn(source) {
  let most = 0;
  const visit = (node) => {
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'providers')
      most = Math.max(most, sizeOf(node.initializer, source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return most;
}

/**
 * Counts the entries of an array literal. For a spread such as `...STORES`, counts the entries of the constant with
 * this name.
 */
function sizeOf(node, source) {
  if (!ts.isArrayLiteralExpression(node)) return 1;
  return node.elements.reduce((sum, element) => {
    if (!ts.isSpreadElement(element)) return sum + 1;
    const list = arrayNamed(element.expression.getText(), source);
    return sum + (list ? sizeOf(list, source) : 1);
  }, 0);
}

function arrayNamed(name, source) {
  let found;
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === name && node.initializer) {
      const value = ts.isAsExpression(node.initializer) ? node.initializer.expression : node.initializer;
      if (ts.isArrayLiteralExpression(value)) found = value;
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function injectables(path, text) {
  if (!text.includes('@Injectable')) return [];
  const found = [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  for (const node of source.statements) {
    if (!ts.isClassDeclaration(node)) continue;
    const names = (ts.getDecorators(node) ?? []).map((decorator) => decorator.expression.getText());
    if (names.some((name) => name.startsWith('Injectable'))) found.push({ path, methods: publicMethods(node) });
  }
  return found;
}

function publicMethods(node) {
  const hidden = [ts.SyntaxKind.PrivateKeyword, ts.SyntaxKind.ProtectedKeyword];
  return node.members.filter(
    (member) => ts.isMethodDeclaration(member) && !member.modifiers?.some(({ kind }) => hidden.includes(kind)),
  ).length;
}

function settings(files) {
  const example = files.find(({ path }) => path === '.env.example')?.text ?? '';
  return new Set([...example.matchAll(/^#?\s?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name)).size;
}

function byLib(files) {
  const groups = {};
  for (const { path } of files) {
    const [root, name] = path.split('/');
    if (!name) continue;
    groups[`${root}/${name}`] = (groups[`${root}/${name}`] ?? 0) + 1;
  }
  return groups;
}

function total(files) {
  return files.reduce((sum, { text }) => sum + linesOf(text), 0);
}

function linesOf(text) {
  return text.split('\n').length - 1;
}
