import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { parse } from 'yaml';
import type { AgentAutomation } from '../../../../packages/sdk/src/index.js';
import { usageError } from '../errors/command-error.js';
import type { Output } from '../output/output.js';
import { PROJECT_FILE } from './project-file.js';
import { FIXTURES_FOLDER } from './project-fixtures.js';

export interface DefinitionFile {
  /** The path argument, or the path of a file in the folder argument. */
  file: string;
  text: string;
  /** Undefined if the file is not valid YAML or has no name. The service reports both errors. */
  agent: string | undefined;
  /** The agents that this agent calls, by the index of the tool. Undefined for tools that are no agents. */
  calls: readonly (string | undefined)[];
  hasEvaluation: boolean;
}

/** A mistake in a definition, or a warning about it. */
export type Finding = Awaited<ReturnType<AgentAutomation['definitions']['validate']>>['errors'][number];

interface Findings {
  errors?: readonly Finding[];
  warnings: readonly Finding[];
  notes?: readonly Pick<Finding, 'pointer' | 'detail'>[];
}

const DEFINITION = /\.(ya?ml|json)$/i;

/** Throws a usage error if a path does not exist or no file is found. */
export async function readDefinitionFiles(paths: readonly string[]): Promise<DefinitionFile[]> {
  const found = (await Promise.all(paths.map(filesBelow))).flat();
  const files = [...new Set(found)];
  if (files.length === 0) {
    const remedy = 'Name files or folders with definitions (.yaml, .yml or .json).';
    throw usageError('No definition file was found.', paths.join(' '), remedy);
  }
  return Promise.all(files.map(readDefinition));
}

async function filesBelow(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined);
  if (!found) throw usageError('The file or folder does not exist.', path, 'Name files or folders that exist.');
  if (!found.isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const fixtures = entries
    .filter(({ name }) => name === PROJECT_FILE)
    .map(({ parentPath }) => join(parentPath, FIXTURES_FOLDER, sep));
  return entries
    .filter((entry) => entry.isFile() && DEFINITION.test(entry.name) && basename(entry.name) !== PROJECT_FILE)
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !isHidden(relative(path, file)) && !fixtures.some((folder) => file.startsWith(folder)))
    .sort();
}

function isHidden(path: string): boolean {
  return path.split(/[\\/]/).some((part) => part.startsWith('.') || part === 'node_modules');
}

async function readDefinition(file: string): Promise<DefinitionFile> {
  const text = decoded(await readFile(file), file);
  return { file, text, ...contentOf(text) };
}

function decoded(bytes: Buffer, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usageError('The file is not UTF-8 text.', file, 'Save it as UTF-8.');
  }
}

/** Returns the parts of a definition that planning needs. They are not checked, because the service checks them. */
export function contentOf(text: string): Pick<DefinitionFile, 'agent' | 'calls' | 'hasEvaluation'> {
  const definition = parsed(text);
  const { name, tools, evaluation } = definition;
  const called = Array.isArray(tools) ? tools.map((tool: { agent?: unknown } | null) => tool?.agent) : [];
  return {
    agent: typeof name === 'string' ? name : undefined,
    calls: called.map((each) => (typeof each === 'string' ? each : undefined)),
    hasEvaluation: evaluation !== undefined && evaluation !== null,
  };
}

function parsed(text: string): { name?: unknown; tools?: unknown; evaluation?: unknown } {
  try {
    const value: unknown = parse(text, { logLevel: 'silent' });
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Returns the files by the name of their agent. Throws if a file has no name or two files define the same agent. */
export function byAgent(files: readonly DefinitionFile[]): Map<string, DefinitionFile> {
  const agents = new Map<string, DefinitionFile>();
  for (const file of files) {
    if (file.agent === undefined) throw usageError('`name` is missing.', file.file, 'Write `name: <agent>`.');
    const other = agents.get(file.agent);
    if (other) {
      throw usageError(`Two files define ${file.agent}.`, `${other.file}, ${file.file}`, 'Keep one of them.');
    }
    agents.set(file.agent, file);
  }
  return agents;
}

/** Sorts the files so that the agents that an agent calls come before it, because they must be created first. */
export function inOrderOfCalls(files: readonly DefinitionFile[]): DefinitionFile[] {
  const agents = byAgent(files);
  const ordered = new Set<DefinitionFile>();
  const visiting = new Set<DefinitionFile>();
  const visit = (file: DefinitionFile): void => {
    if (ordered.has(file) || visiting.has(file)) return;
    visiting.add(file);
    for (const called of file.calls) {
      const other = called === undefined ? undefined : agents.get(called);
      if (other) visit(other);
    }
    ordered.add(file);
  };
  for (const file of files) visit(file);
  return [...ordered];
}

/**
 * Returns the warnings without those about agents that the workspace does not have yet, but one of the files defines:
 * `apply` creates these agents first.
 */
export function withoutOwnAgents<T extends Pick<Finding, 'pointer'>>(
  warnings: readonly T[],
  { calls }: Pick<DefinitionFile, 'calls'>,
  files: readonly Pick<DefinitionFile, 'agent'>[],
): T[] {
  return warnings.filter(({ pointer }) => {
    const [, index] = /^\/tools\/(\d+)\/agent$/.exec(pointer) ?? [];
    const called = index === undefined ? undefined : calls[Number(index)];
    return called === undefined || files.every(({ agent }) => agent !== called);
  });
}

/** Prints one line for each finding, in the form `<file>:<line>:<column>: <kind>: <detail>` that editors recognise. */
export function reportFindings(output: Output, file: string, { errors = [], warnings, notes = [] }: Findings): void {
  const findings = [
    ...errors.map((each) => ['error', each] as const),
    ...warnings.map((each) => ['warning', each] as const),
    ...notes.map((each): [string, Finding] => ['note', each]),
  ];
  for (const [kind, { line, column, pointer, detail, suggestion }] of findings) {
    const place = line === undefined ? pointer : `${line}:${column ?? 1}`;
    const near = suggestion === undefined ? '' : ` ${suggestion}`;
    output.words(`${file}:${place}: ${kind}: ${detail}${near}`);
  }
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
