import { fullFormats } from 'ajv-formats/dist/formats.js';

export interface Format {
  readonly type: 'string' | 'number';
  fits(value: unknown): boolean;
  /** Number of steps that checking a string of this length takes. */
  stepsFor(length: number): number;
}

const CHARACTERS_PER_STEP = 4;
/** Formats whose regular expression may take quadratic time. */
const QUADRATIC: ReadonlySet<string> = new Set(['url']);

const known = new Map<string, Format>();
for (const [name, definition] of Object.entries(fullFormats)) {
  const format = formatOf(name, definition);
  if (format) known.set(name, format);
}

/** Returns the check of a format. Returns undefined for unknown formats, and for formats that every string matches. */
export function formatNamed(name: string): Format | undefined {
  return known.get(name);
}

function formatOf(name: string, definition: (typeof fullFormats)[keyof typeof fullFormats]): Format | undefined {
  const stepsFor = (length: number): number =>
    10 + (QUADRATIC.has(name) ? (length * length) / CHARACTERS_PER_STEP : length / CHARACTERS_PER_STEP);
  if (typeof definition === 'boolean' || typeof definition === 'string') return undefined;
  if (definition instanceof RegExp)
    return { type: 'string', fits: (value) => definition.test(value as string), stepsFor };
  if (typeof definition === 'function') {
    return { type: 'string', fits: (value) => definition(value as string), stepsFor };
  }
  const { type = 'string', validate } = definition;
  const fits = (value: unknown): boolean => {
    if (validate instanceof RegExp) return validate.test(value as string);
    return typeof validate === 'function' && (validate as (one: unknown) => unknown)(value) === true;
  };
  return { type, fits, stepsFor };
}
