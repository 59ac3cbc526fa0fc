import { invariant, isJsonObject, jsonPointer, type JsonObject, type JsonValue, parseDuration } from '@app/kernel';
import type { Path } from './problems.js';

/**
 * An object of a definition that has been checked against the schema. A value of an unexpected type means that a stored
 * definition is corrupt: reading it throws `internal_error`.
 */
export class DefinitionNode {
  /** Caches lists, because the compiler and every check read them. */
  private readonly lists = new Map<string, readonly DefinitionNode[]>();

  constructor(
    readonly value: JsonObject,
    readonly path: Path,
  ) {}

  static at(value: JsonValue | undefined, path: Path): DefinitionNode {
    invariant(isJsonObject(value), () => `${jsonPointer(path)} of a definition is an object`);
    return new DefinitionNode(value, path);
  }

  get pointer(): string {
    return jsonPointer(this.path);
  }

  has(key: string): boolean {
    return Object.hasOwn(this.value, key);
  }

  pathOf(key: string | number): Path {
    return [...this.path, key];
  }

  raw(key: string): JsonValue | undefined {
    return this.has(key) ? this.value[key] : undefined;
  }

  text(key: string): string {
    const value = this.raw(key);
    invariant(typeof value === 'string', () => `${this.pointer}/${key} of a definition is text`);
    return value;
  }

  optionalText(key: string): string | null {
    return this.has(key) ? this.text(key) : null;
  }

  number(key: string): number {
    const value = this.raw(key);
    invariant(typeof value === 'number', () => `${this.pointer}/${key} of a definition is a number`);
    return value;
  }

  numberOr<T>(key: string, byDefault: T): number | T {
    return this.has(key) ? this.number(key) : byDefault;
  }

  flagOr(key: string, byDefault: boolean): boolean {
    const value = this.raw(key) ?? byDefault;
    invariant(typeof value === 'boolean', () => `${this.pointer}/${key} of a definition is true or false`);
    return value;
  }

  choiceOr<const T extends string, D>(key: string, values: readonly T[], byDefault: D): T | D {
    return this.has(key) ? this.choice(key, values) : byDefault;
  }

  choice<const T extends string>(key: string, values: readonly T[]): T {
    const text = this.text(key);
    const value = values.find((candidate) => candidate === text);
    invariant(value !== undefined, () => `${this.pointer}/${key} of a definition is one of ${values.join(', ')}`);
    return value;
  }

  /** Returns the duration in milliseconds. */
  durationOr<T>(key: string, byDefault: T): number | T {
    if (!this.has(key)) return byDefault;
    const millis = parseDuration(this.text(key));
    invariant(millis !== undefined, () => `${this.pointer}/${key} of a definition is a duration`);
    return millis;
  }

  child(key: string): DefinitionNode {
    return DefinitionNode.at(this.raw(key), this.pathOf(key));
  }

  optionalChild(key: string): DefinitionNode | null {
    return this.has(key) ? this.child(key) : null;
  }

  /** Returns the objects of a list, or an empty list if the key is missing. */
  items(key: string): readonly DefinitionNode[] {
    const known = this.lists.get(key);
    if (known) return known;
    const items = this.list(key).map((item, index) => DefinitionNode.at(item, [...this.path, key, index]));
    this.lists.set(key, items);
    return items;
  }

  /** Returns the strings of a list, or an empty list if the key is missing. */
  texts(key: string): string[] {
    return this.list(key).map((item) => {
      invariant(typeof item === 'string', () => `${this.pointer}/${key} of a definition holds texts`);
      return item;
    });
  }

  /** Returns the fields of an object whose keys the author chose. Returns an empty list if the object is missing. */
  entries(key: string): [name: string, value: JsonValue, path: Path][] {
    if (!this.has(key)) return [];
    const child = this.child(key);
    return Object.entries(child.value).map(([name, value]) => [name, value, child.pathOf(name)]);
  }

  /**
   * Returns the fields of {@link entries} that are objects. Other values exist only in old stored versions, which
   * allowed any value for a key that begins with `x-`. Such fields never had a meaning and are skipped.
   */
  objects(key: string): [name: string, node: DefinitionNode][] {
    return this.entries(key).flatMap(([name, value, path]) =>
      isJsonObject(value) ? [[name, new DefinitionNode(value, path)] as [string, DefinitionNode]] : [],
    );
  }

  private list(key: string): JsonValue[] {
    const value = this.raw(key) ?? [];
    invariant(Array.isArray(value), () => `${this.pointer}/${key} of a definition is a list`);
    return value;
  }
}
