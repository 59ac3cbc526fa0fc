import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { valueAt } from '../shared/value-at.js';

/** What a template is filled with. */
export interface TemplateValues {
  scope: string;
  item?: JsonValue;
}

const PLACE = /\{(scope|\/[^{}]*)\}/;

/** The text of a template; undefined where something that it names is not there. */
export function filled(template: string, values: TemplateValues): string | undefined {
  return assembled(template, (name) => (name === 'scope' ? values.scope : textAt(values.item ?? null, name)));
}

/** The path of a template. What is filled in stays below the path: its parts are encoded, and none of them goes up. */
export function filledPath(template: string, values: TemplateValues): string | undefined {
  return assembled(template, (name) => {
    const parts = filled(`{${name}}`, values)?.split('/') ?? ['..'];
    return parts.some((part) => part === '' || part === '.' || part === '..')
      ? undefined
      : parts.map(encodeURIComponent).join('/');
  });
}

function assembled(template: string, valueOf: (name: string) => string | undefined): string | undefined {
  // Every other part is a place.
  const parts = template.split(PLACE).map((part, n) => (n % 2 === 0 ? part : valueOf(part)));
  return parts.includes(undefined) ? undefined : parts.join('');
}

/** A JSON body with every text in it filled. */
export function filledBody(body: JsonObject, values: TemplateValues): JsonObject {
  const each = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return filled(value, values) ?? '';
    if (Array.isArray(value)) return value.map(each);
    return isJsonObject(value) ? filledBody(value, values) : value;
  };
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, each(value)]));
}

/** What stands at a pointer, `*` standing for every member; texts of several places are one. */
function textAt(root: JsonValue, pointer: string): string | undefined {
  const star = pointer.indexOf('/*');
  if (star < 0) return textOf(valueAt(root, pointer));
  const above = valueAt(root, pointer.slice(0, star));
  const members = typeof above === 'object' && above !== null ? Object.values(above) : [];
  const texts = members.flatMap((member) => textAt(member, pointer.slice(star + 2)) ?? []);
  return texts.length > 0 ? texts.join('') : undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
