import type { JsonObject, JsonValue } from '@app/kernel';
import type { ErrorObject } from 'ajv';
import { APPLICATORS, type SchemaNodes, UNEVALUATED } from './applicators.js';
import { ASSERTIONS } from './assertions.js';
import { dialectNamed, hasKeyword } from './dialects.js';
import { itemsCheck, propertiesCheck } from './members.js';
import { SchemaDocument, type SchemaPlace } from './schema-document.js';
import { ANY_FILES, type Check, Evaluation, SchemaNode } from './schema-node.js';
import type { KnownFiles } from './file-rule.js';
import type { WorkBudget } from './work-budget.js';

/** The order in which keywords are checked. The errors of a value have the same order. */
const ORDER = [
  '$ref', '$recursiveRef', '$dynamicRef', 'type', 'file',
  'maximum', 'minimum', 'exclusiveMaximum', 'exclusiveMinimum', 'multipleOf', 'maxLength', 'minLength', 'pattern', 'format',
  'const', 'enum', 'not', 'anyOf', 'oneOf', 'allOf', 'if',
  'maxItems', 'minItems', 'uniqueItems', 'items', 'contains',
  'maxProperties', 'minProperties', 'required', 'dependentRequired', 'dependentSchemas', 'dependencies', 'propertyNames', 'properties',
] as const; // prettier-ignore
const PROPERTIES = ['properties', 'patternProperties', 'additionalProperties'];
const ITEMS = ['items', 'prefixItems', 'additionalItems'];

/**
 * A JSON Schema that can check values. No code is generated from the schema: each part is compiled to functions when it
 * is first applied, and every check counts its work.
 */
export class CompiledSchema implements SchemaNodes {
  readonly document: SchemaDocument;
  readonly root: SchemaNode;
  private readonly nodes = new Map<JsonObject, SchemaNode>();

  constructor(schema: JsonObject) {
    this.document = new SchemaDocument(schema);
    this.root = this.nodeAt(this.document.root);
  }

  /**
   * Returns the errors of the value in the form of ajv; empty if the value is valid.
   * @throws CheckLimitError if the check exceeds its budget or the maximum nesting
   */
  errors(value: JsonValue, budget: WorkBudget, maxErrors: number, files?: KnownFiles): ErrorObject[] {
    const run = new Evaluation(value, budget, false, maxErrors, files);
    run.applies(this.root, value, null, null);
    return run.errors;
  }

  /** The value is a constant of a definition. */
  errorsAt(schema: JsonObject, value: JsonValue, budget: WorkBudget, maxErrors: number): ErrorObject[] {
    const run = new Evaluation(value, budget, false, maxErrors, ANY_FILES);
    run.applies(this.nodeAt(this.document.placeOf(schema, [], this.document.root)), value, null, null);
    return run.errors;
  }

  nodeAt(place: SchemaPlace): SchemaNode {
    const { schema } = place;
    if (typeof schema === 'boolean')
      return new SchemaNode(
        place,
        schema ? () => NOTHING : (node) => ({ checks: [falseSchemaCheck(node)], lastChecks: [] }),
      );
    const known = this.nodes.get(schema) ?? new SchemaNode(place, (node) => this.compile(node));
    this.nodes.set(schema, known);
    return known;
  }

  private compile(node: SchemaNode): { checks: Check[]; lastChecks: Check[] } {
    const { schema, dialect } = node;
    if (schema.$schema !== undefined && !dialectNamed(schema.$schema)) {
      node.skip(
        'dialect',
        ['$schema'],
        `\`$schema\` does not name a supported version of JSON Schema (draft-04 to 2020-12), so the schema is read as ${dialect.name}.`,
      );
    }
    const isReference = dialect.refStandsAlone && '$ref' in schema;
    const names = isReference ? ['$ref'] : ORDER.filter((name) => isUsed(name, schema) && hasKeyword(dialect, name));
    const checks = names.flatMap((name) => this.check(name, node) ?? []);
    const last = isReference
      ? []
      : Object.keys(UNEVALUATED).filter((name) => name in schema && hasKeyword(dialect, name));
    return {
      checks,
      lastChecks: last.flatMap((name) => UNEVALUATED[name]?.(this, schema[name] ?? null, node, name) ?? []),
    };
  }

  private check(name: string, node: SchemaNode): Check | null {
    if (name === 'properties') return propertiesCheck(this, node);
    if (name === 'items') return itemsCheck(this, node);
    const keyword = node.schema[name] ?? null;
    const assertion = ASSERTIONS[name];
    return assertion ? assertion(keyword, node, name) : (APPLICATORS[name]?.(this, keyword, node, name) ?? null);
  }
}

const NOTHING: { checks: Check[]; lastChecks: Check[] } = { checks: [], lastChecks: [] };

function isUsed(name: string, schema: JsonObject): boolean {
  const names = name === 'properties' ? PROPERTIES : name === 'items' ? ITEMS : [name];
  return names.some((one) => Object.hasOwn(schema, one));
}

function falseSchemaCheck(node: SchemaNode): Check {
  return (value, at, run) => node.fail('false schema', value, at, run, {}, 'boolean schema is false');
}
