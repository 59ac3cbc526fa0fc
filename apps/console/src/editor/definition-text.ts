import { type Document, isMap, isSeq, parseDocument, stringify } from 'yaml';

/** The parts of a run that become an evaluation case. */
export interface CaseRun {
  id: string;
  status: string;
  input: unknown;
  output: unknown;
}

/** Parses the definition. Returns undefined if the text is not valid YAML. */
export function readDefinition(text: string): unknown {
  const document = parsed(text);
  if (document.errors.length > 0) return undefined;
  try {
    return document.toJS({ maxAliasCount: 0 }) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * Adds an evaluation case to the definition. The case has the input of the run, and its status and output as
 * assertions. Leaves the rest of the text unchanged, unless the evaluation is written as JSON.
 */
export function withCase(text: string, run: CaseRun): string {
  const document = parsed(text);
  const added = evaluationCase(run);
  if (document.errors.length > 0) return text;
  const evaluation = document.get('evaluation', true);
  const cases = isMap(evaluation) ? evaluation.get('cases', true) : undefined;
  if (evaluation === undefined && !text.trimStart().startsWith('{'))
    return `${ended(text)}\nevaluation:\n  cases:\n${indented(added, 4)}`;
  if (isSeq(cases) && cases.flow !== true && cases.items.length > 0) return afterItems(text, cases.range, added);
  if (isMap(evaluation) && evaluation.flow !== true && cases === undefined)
    return inserted(text, lineAfter(text, evaluation.range?.[1]), `  cases:\n${indented(added, 4)}`);
  if (isSeq(cases)) cases.add(document.createNode(added));
  else document.setIn(['evaluation', 'cases'], [added]);
  return String(document);
}

const ENDED = ['succeeded', 'failed', 'handed_off', 'cancelled', 'waiting_approval'];

function evaluationCase({ id, status, input, output }: CaseRun): object {
  const hasOutput = output !== null && output !== undefined;
  return {
    name: `as in ${id}`,
    input,
    assert: [
      { type: 'status', value: ENDED.includes(status) ? status : 'succeeded' },
      ...(hasOutput ? [{ type: 'equals', value: output }] : []),
    ],
  };
}

function parsed(text: string): Document.Parsed {
  return parseDocument(text, { logLevel: 'silent', prettyErrors: false });
}

type Range = readonly [number, number, number] | null | undefined;

/** Inserts an item at the end of a list, with the indentation of the first item. */
function afterItems(text: string, range: Range, added: object): string {
  const start = text.lastIndexOf('\n', (range?.[0] ?? 0) - 1) + 1;
  const column = text.slice(start).search(/-/);
  return inserted(text, lineAfter(text, range?.[1]), indented(added, column));
}

function indented(added: object, column: number): string {
  const lines = stringify([added], { lineWidth: 0 }).trimEnd().split('\n');
  return lines.map((line) => `${' '.repeat(column)}${line}\n`).join('');
}

/** Returns the offset of the first line after the text that ends at `end`. Ignores white space before `end`. */
function lineAfter(text: string, end: number | undefined): number {
  const content = text.slice(0, end ?? text.length).trimEnd().length;
  const line = text.indexOf('\n', content);
  return line < 0 ? text.length : line + 1;
}

function inserted(text: string, at: number, addition: string): string {
  return `${ended(text.slice(0, at))}${addition}${text.slice(at)}`;
}

function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
