import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments, stringify } from 'yaml';

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; annotations?: Record<string, string>; labels?: Record<string, string> };
  [further: string]: unknown;
}

type Values = Record<string, unknown>;

/**
 * Renders the manifests of a chart. The templates may use only this part of Helm's language: values, `toYaml … |
 * nindent`, `toJson`, `quote`, `sha256sum`, `if` (with `not`) on a value, and `range` over strings and numbers.
 * Anything else is an error, because this function might render it differently from Helm.
 */
export function renderChart(folder: string, changed: (values: Values) => void = () => undefined): Manifest[] {
  const values = parse(readFileSync(join(folder, 'values.yaml'), 'utf8')) as Values;
  changed(values);
  const scope = { Values: values, Release: { Name: 'agents', Namespace: 'tests' } };
  return readdirSync(join(folder, 'templates')).flatMap((file) => {
    const text = render(readFileSync(join(folder, 'templates', file), 'utf8'), scope);
    return parseAllDocuments(text).map((document) => {
      if (document.errors.length > 0) throw new Error(`${file}: ${document.errors[0]!.message}\n${text}`);
      return document.toJS() as Manifest;
    });
  });
}

function render(template: string, scope: Values): string {
  const chosen = ranged(template, scope).replaceAll(
    /\{\{- if (not )?(\.[\w.]+) \}\}([\s\S]*?)\n *\{\{- end \}\}/g,
    (_all, not: string | undefined, path: string, body: string) =>
      (valueOf(path, scope) === true) !== (not !== undefined) ? body : '',
  );
  return chosen
    .replaceAll(/\n *\{\{- (toYaml [^}]+) \}\}/g, (_all, expression: string) => evaluate(expression, scope))
    .replaceAll(/\{\{ ([^}]+) \}\}/g, (_all, expression: string) => evaluate(expression, scope));
}

const RANGE = /\n *\{\{- range \$name, \$value := (\.[\w.]+) \}\}\n(.*)\n *\{\{- end \}\}/g;
/** The only expression in a line of a `range`. It writes a string in quotes, and any other value as JSON in quotes. */
const TEXT_OR_JSON =
  '{{ if kindIs "string" $value }}{{ $value | quote }}{{ else }}{{ toJson $value | quote }}{{ end }}';

function ranged(template: string, scope: Values): string {
  return template.replaceAll(RANGE, (_all, path: string, line: string) =>
    Object.entries(valueOf(path, scope) as Values)
      .map(([name, value]) => {
        const text = typeof value === 'string' ? value : JSON.stringify(value);
        return `\n${line.replace('{{ $name }}', () => name).replace(TEXT_OR_JSON, () => JSON.stringify(text))}`;
      })
      .join(''),
  );
}

function evaluate(expression: string, scope: Values): string {
  const [first = '', ...filters] = expression.split(' | ');
  const [word = '', path] = first.split(' ');
  const value = valueOf(path ?? word, scope);
  const start =
    path === undefined ? String(value) : word === 'toYaml' ? stringify(value).trimEnd() : JSON.stringify(value);
  if (path !== undefined && word !== 'toYaml' && word !== 'toJson') throw new Error(`not read here: ${expression}`);
  return filters.reduce(filtered, start);
}

function filtered(text: string, filter: string): string {
  const [name, width] = filter.split(' ');
  if (name === 'quote') return JSON.stringify(text);
  if (name === 'sha256sum') return createHash('sha256').update(text).digest('hex');
  if (name === 'nindent') return text.replaceAll(/^/gm, ' '.repeat(Number(width))).replace(/^/, '\n');
  throw new Error(`not read here: ${filter}`);
}

function valueOf(path: string, scope: Values): unknown {
  const found = path
    .slice(1)
    .split('.')
    .reduce<unknown>((value, name) => (value as Values | undefined)?.[name], scope);
  if (found === undefined) throw new Error(`no value ${path}`);
  return found;
}
