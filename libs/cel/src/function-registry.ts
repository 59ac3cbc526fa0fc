import type { Environment } from '@marcbachmann/cel-js';
import { spend, checkValueSize } from './cel-cost.js';
import { type FunctionSpec, NAMESPACES } from './function-spec.js';
import { BIT_FUNCTIONS } from './bit-functions.js';
import { CSV_FUNCTIONS } from './csv-functions.js';
import { ENCODING_FUNCTIONS, UUID_FUNCTIONS } from './encoding-functions.js';
import { LIST_FUNCTIONS } from './list-functions.js';
import { MACROS } from './loop-functions.js';
import { MATH_FUNCTIONS } from './math-functions.js';
import { MOMENT_FUNCTIONS } from './moments.js';
import { NUMBER_FUNCTIONS } from './number-format.js';
import { OPTIONAL_FUNCTIONS } from './optional-functions.js';
import { REGEX_FUNCTIONS } from './regex-functions.js';
import { TEXT_FUNCTIONS } from './text-functions.js';
import { TIME_FUNCTIONS, TIME_PARTS } from './time-functions.js';
import { XML_FUNCTIONS } from './xml-functions.js';

const FUNCTIONS: readonly FunctionSpec[] = [
  ...TEXT_FUNCTIONS,
  ...LIST_FUNCTIONS,
  ...OPTIONAL_FUNCTIONS,
  ...MATH_FUNCTIONS,
  ...BIT_FUNCTIONS,
  ...REGEX_FUNCTIONS,
  ...ENCODING_FUNCTIONS,
  ...CSV_FUNCTIONS,
  ...XML_FUNCTIONS,
  ...MOMENT_FUNCTIONS,
  ...TIME_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...UUID_FUNCTIONS,
];

/**
 * Functions of the engine that do not work as this service specifies them. The engine does not allow replacing them, so
 * calls are redirected to a function with a `*` after its name.
 */
const REPLACED: ReadonlySet<string> = new Set([
  ...TIME_PARTS,
  'duration',
  'indexOf',
  'join',
  'lastIndexOf',
  'lowerAscii',
  'matches',
  'split',
  'substring',
  'timestamp',
  'trim',
  'upperAscii',
  'value',
]);

const STANDARD: readonly string[] = [
  'all', 'at', 'base64', 'bool', 'bytes', 'cel.bind', 'contains', 'double', 'dyn', 'endsWith', 'exists', 'exists_one',
  'filter', 'has', 'hasValue', 'hex', 'int', 'json', 'map', 'or', 'orValue', 'size', 'startsWith', 'string', 'type',
  'uint',
]; // prettier-ignore

export interface Signature {
  readonly name: string;
  readonly receiver: string | undefined;
  readonly parameters: readonly string[];
  readonly result: string;
}

/** Parses a signature such as `string.charAt(int): string`. */
function signatureOf(text: string): Signature {
  const [, owner, name = '', parameters = '', result = 'dyn'] = /^(?:(.+)\.)?(\w+)\((.*)\): (.+)$/.exec(text) ?? [];
  const isSpaced = owner !== undefined && NAMESPACES.has(owner);
  return {
    name: isSpaced ? `${owner}.${name}` : name,
    receiver: isSpaced ? undefined : owner,
    parameters: parameters === '' ? [] : parameters.split(', '),
    result,
  };
}

export const SIGNATURES: readonly Signature[] = [...FUNCTIONS, ...MACROS].map(([text]) => signatureOf(text));

/**
 * The names of all functions that an expression can call. A function of a namespace has its full name, such as
 * `math.ceil`.
 */
export const FUNCTION_NAMES: readonly string[] = [
  ...new Set([...STANDARD, ...SIGNATURES.map(({ name }) => name)]),
].sort();

const names: ReadonlySet<string> = new Set(FUNCTION_NAMES);

export function isFunction(name: string): boolean {
  return names.has(name);
}

export function isStandard(name: string): boolean {
  return STANDARD.includes(name);
}

/**
 * The result of `run.uuid` depends on the run, so a call passes the variable `run`. Authors do not write this argument.
 */
export function takesNamespace(name: string): boolean {
  return name === 'run.uuid';
}

export function engineName(name: string): string {
  return REPLACED.has(name) ? `${name}*` : name;
}

export function writtenName(name: string): string {
  return name.replace(/\*$/, '');
}

export function registerFunctions(environment: Environment): Environment {
  for (const [text, run] of FUNCTIONS) register(environment, signatureOf(text), run);
  for (const [text, expand] of MACROS) environment.registerFunction(text, expand, { async: false });
  return environment;
}

function register(environment: Environment, signature: Signature, run: FunctionSpec[1]): void {
  const { name, receiver, parameters, result } = signature;
  const handler = (...args: unknown[]): unknown => {
    const value: unknown = Reflect.apply(run, undefined, args);
    chargeResult(value);
    return value;
  };
  environment.registerFunction({
    name: engineName(name),
    ...(receiver !== undefined && { receiverType: receiver }),
    returnType: result,
    params: parameters.map((type) => ({ type })),
    handler,
    async: false,
  });
}

/** The cost of the arguments is counted where they are evaluated. */
function chargeResult(value: unknown): void {
  if (typeof value === 'string' || value instanceof Uint8Array) {
    checkValueSize(value);
    spend(value.length >> 6);
  } else if (Array.isArray(value)) spend(value.length >> 2);
}
