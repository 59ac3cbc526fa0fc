import { readFile } from 'node:fs/promises';
import { usageError } from '../errors/command-error.js';
import { readStdin, type Terminal } from './terminal.js';

/** Reads a file, or standard input if the path is `-`. */
export async function readInput(path: string, terminal: Terminal, option: string): Promise<string> {
  if (path === '-') return readStdin(terminal);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw usageError((error as Error).message, option, 'Name a file that exists, or `-` for standard input.');
  }
}

/** Reads a JSON or YAML object from a file, or from standard input if the path is `-`. */
export async function readInputObject(
  path: string,
  terminal: Terminal,
  option: string,
): Promise<Record<string, unknown>> {
  const value = await parsedInput(await readInput(path, terminal, option), option);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw usageError('The document is not an object.', option, 'Write an object as JSON or YAML.');
}

async function parsedInput(text: string, option: string): Promise<unknown> {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const { parse } = await import('yaml');
    try {
      return parse(text) as unknown;
    } catch (error) {
      const [first = ''] = (error as Error).message.split('\n');
      throw usageError(`The document is neither JSON nor YAML: ${first}`, option, 'Correct the document.');
    }
  }
}
