import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { type Dialect, dialectNamed, hasKeyword, VERSION_2020_12 } from './dialects.js';
import { CheckLimitError } from './work-budget.js';

export type Path = readonly (string | number)[];

export interface SchemaPlace {
  readonly schema: JsonObject | boolean;
  readonly path: Path;
  readonly resource: SchemaResource;
  readonly dialect: Dialect;
}

/** A schema with its own URI: the whole document, or a part with an `$id`. */
export interface SchemaResource {
  readonly uri: string;
  readonly root: SchemaPlace;
  readonly anchors: Map<string, SchemaPlace>;
  readonly dynamicAnchors: Map<string, SchemaPlace>;
}

const ONE_SCHEMA = new Set([
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const SCHEMA_LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']);
const SCHEMAS_BY_NAME = new Set([
  '$defs',
  'definitions',
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
]);

/** Maximum number of keys in the path of a schema in a document. */
const MAX_SCHEMA_DEPTH = 256;
const ROOT_URI = 'schema://document/root';

/** Finds the schemas of a document, and the schemas that its references refer to. Does not fetch other documents. */
export class SchemaDocument {
  readonly root: SchemaPlace;
  private readonly places = new Map<JsonObject, SchemaPlace>();
  private readonly resources = new Map<string, SchemaResource>();

  constructor(schema: JsonObject) {
    const dialect = dialectNamed(schema.$schema ?? null) ?? VERSION_2020_12;
    const { $id } = { $id: schema[dialect.idKeyword] };
    const uri = typeof $id === 'string' ? withoutFragment(resolveUri($id, ROOT_URI) ?? ROOT_URI) : ROOT_URI;
    this.root = this.newResource(schema, [], dialect, uri);
    this.resources.set(ROOT_URI, this.root.resource);
    this.addBelow(schema, [], this.root.resource, dialect);
  }

  placeOf(schema: JsonObject | boolean, path: Path, parent: SchemaPlace): SchemaPlace {
    const known = isJsonObject(schema) ? this.places.get(schema) : undefined;
    return known ?? { schema, path, resource: parent.resource, dialect: parent.dialect };
  }

  /** Returns the target of a reference in a schema; undefined if the target is not a schema of this document. */
  resolve(reference: string, from: SchemaPlace): SchemaPlace | undefined {
    const hash = reference.indexOf('#');
    const address = hash === -1 ? reference : reference.slice(0, hash);
    const fragment = hash === -1 ? '' : decoded(reference.slice(hash + 1));
    const resource = address === '' ? from.resource : this.resources.get(resolveUri(address, from.resource.uri) ?? '');
    if (!resource || fragment === undefined) return undefined;
    if (fragment === '') return resource.root;
    if (!fragment.startsWith('/')) return resource.anchors.get(fragment);
    return this.atPointer(fragment, resource);
  }

  dynamicTargets(anchor: string): SchemaPlace[] {
    const resources = new Set(this.resources.values());
    return [...resources].flatMap(({ dynamicAnchors }) => dynamicAnchors.get(anchor) ?? []);
  }

  private atPointer(pointer: string, resource: SchemaResource): SchemaPlace | undefined {
    let at: JsonValue | undefined = resource.root.schema;
    const path: (string | number)[] = [...resource.root.path];
    for (const part of pointer.split('/').slice(1)) {
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      path.push(Array.isArray(at) ? Number(name) : name);
      if (Array.isArray(at)) at = at[Number(name)];
      else at = isJsonObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
    }
    if (typeof at === 'boolean') return { ...resource.root, schema: at, path };
    if (!isJsonObject(at)) return undefined;
    if (!this.places.has(at)) this.add(at, path, resource, resource.root.dialect);
    return this.places.get(at);
  }

  private newResource(schema: JsonObject, path: Path, dialect: Dialect, uri: string): SchemaPlace {
    const anchors = new Map<string, SchemaPlace>();
    const dynamicAnchors = new Map<string, SchemaPlace>();
    const place: { -readonly [K in keyof SchemaPlace]?: SchemaPlace[K] } = { schema, path, dialect };
    const resource: SchemaResource = { uri, root: place as SchemaPlace, anchors, dynamicAnchors };
    place.resource = resource;
    this.resources.set(uri, resource);
    this.addPlace(place as SchemaPlace);
    return place as SchemaPlace;
  }

  private add(schema: JsonObject, path: Path, parent: SchemaResource, inherited: Dialect): void {
    if (path.length > MAX_SCHEMA_DEPTH) throw new CheckLimitError('its schema is nested too deeply');
    const dialect = dialectNamed(schema.$schema ?? null) ?? inherited;
    const id = dialect.refStandsAlone && '$ref' in schema ? undefined : schema[dialect.idKeyword];
    const address = typeof id === 'string' && !id.startsWith('#') ? resolveUri(id, parent.uri) : undefined;
    let resource = parent;
    if (address !== undefined) {
      resource = this.newResource(schema, path, dialect, withoutFragment(address)).resource;
    } else this.addPlace({ schema, path, resource: parent, dialect });
    if (typeof id === 'string' && dialect.rank <= 7 && id.includes('#')) {
      const name = id.slice(id.indexOf('#') + 1);
      const place = this.places.get(schema);
      if (name !== '' && place) resource.anchors.set(name, place);
    }
    this.addBelow(schema, path, resource, dialect);
  }

  private addPlace(place: SchemaPlace): void {
    const { schema, resource, dialect } = place;
    if (typeof schema === 'boolean') return;
    this.places.set(schema, place);
    const { $anchor, $dynamicAnchor, $recursiveAnchor } = schema;
    if (typeof $anchor === 'string' && hasKeyword(dialect, '$anchor')) resource.anchors.set($anchor, place);
    if (typeof $dynamicAnchor === 'string' && hasKeyword(dialect, '$dynamicAnchor')) {
      resource.anchors.set($dynamicAnchor, place);
      resource.dynamicAnchors.set($dynamicAnchor, place);
    }
    // A `$recursiveRef` of 2019-09 is handled as a dynamic reference to the empty anchor of a root.
    if ($recursiveAnchor === true && dialect.rank === 2019 && place === resource.root)
      resource.dynamicAnchors.set('', place);
  }

  private addBelow(schema: JsonObject, path: Path, resource: SchemaResource, dialect: Dialect): void {
    const add = (member: JsonValue, keys: Path): void => {
      if (isJsonObject(member)) this.add(member, [...path, ...keys], resource, dialect);
    };
    for (const [key, value] of Object.entries(schema)) {
      if (SCHEMA_LISTS.has(key) && Array.isArray(value))
        for (const [index, one] of value.entries()) add(one, [key, index]);
      else if (SCHEMAS_BY_NAME.has(key) && isJsonObject(value)) {
        for (const [name, one] of Object.entries(value)) add(one, [key, name]);
      } else if (ONE_SCHEMA.has(key)) add(value, [key]);
    }
  }
}

function resolveUri(reference: string, base: string): string | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base).href : undefined;
}

function withoutFragment(address: string): string {
  return address.replace(/#.*$/s, '');
}

function decoded(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
