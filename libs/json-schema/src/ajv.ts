import { canonicalJson, type JsonValue } from '@app/kernel';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { safeRegex } from '@app/cel';

const addFormats = addFormatsModule.default;

/** The checked schemas come from outside, so regular expressions and `uniqueItems` take linear time. */
export function createAjv(): Ajv2020 {
  // ajv caches compiled patterns by the result of toString(). The toString() of a SafeRegex returns its pattern.
  const regExp = Object.assign((pattern: string) => safeRegex(pattern), { code: 'safeRegex' });
  const ajv = new Ajv2020({
    strict: false,
    // Without this option, every object would seem to have the property `constructor`.
    ownProperties: true,
    logger: false,
    code: { regExp },
  });
  addFormats(ajv, { keywords: false });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    validate: isUniqueOrAllowed,
  });
  return ajv;
}

function isUniqueOrAllowed(mustBeUnique: boolean, items: JsonValue[]): boolean {
  return !mustBeUnique || new Set(items.map(canonicalJson)).size === items.length;
}
