import type { TypeDeclaration } from '@marcbachmann/cel-js';

export interface KnownType {
  readonly name: string;
  readonly kind: string;
  readonly keyType?: KnownType | undefined;
  readonly valueType?: KnownType | undefined;
}

type ResultType = (receiver: KnownType | undefined, args: readonly KnownType[]) => string | undefined;

const NUMBERS = ['int', 'double'];

const sameList: ResultType = (receiver) => (receiver?.kind === 'list' ? receiver.name : undefined);
const optionalItem: ResultType = (receiver) =>
  receiver?.kind === 'list' && receiver.valueType ? `optional<${receiver.valueType.name}>` : undefined;
const itemNumber: ResultType = (receiver) => numberType(receiver?.kind === 'list' ? [receiver.valueType] : []);
const argumentNumber: ResultType = (_receiver, args) =>
  numberType(args.length === 1 && args[0]?.kind === 'list' ? [args[0].valueType] : args);

const optionalContent: ResultType = (_receiver, [content]) => content && `optional<${content.name}>`;

function numberType(types: readonly (KnownType | undefined)[]): string | undefined {
  const [first] = types;
  const isOne = first !== undefined && NUMBERS.includes(first.name) && types.every((type) => type?.name === first.name);
  return isOne ? first.name : undefined;
}

/**
 * Functions whose result has a type that depends on the types of their arguments. Overloads cannot express such a type:
 * for a value of unknown type, the engine takes the first overload that may fit.
 */
export const RESULT_TYPES: ReadonlyMap<string, ResultType> = new Map([
  ['slice', sameList],
  ['distinct', sameList],
  ['sort', sameList],
  ['reverse', (receiver, args) => (receiver?.name === 'string' ? 'string' : sameList(receiver, args))],
  ['first', optionalItem],
  ['last', optionalItem],
  ['sum', itemNumber],
  ['value', (receiver) => (receiver?.kind === 'optional' ? receiver.valueType?.name : undefined)],
  ['optional.of', optionalContent],
  ['optional.ofNonZeroValue', optionalContent],
  ['math.greatest', argumentNumber],
  ['math.least', argumentNumber],
  ['math.abs', argumentNumber],
  ['math.sign', argumentNumber],
]);

/** For example, the sum of an empty list of whole numbers must be a whole number. */
export function typedResult(value: unknown, type: Pick<TypeDeclaration, 'name'>): unknown {
  return type.name === 'int' && typeof value === 'number' ? BigInt(value) : value;
}
