export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

export type EnvironmentSource = Readonly<Record<string, string | undefined>>;

export interface IntegerRange {
  default: number;
  min: number;
  max: number;
}

export const KEY_FORM = '32 random bytes as base64 or as 64 hexadecimal digits';

export class EnvironmentReader {
  private readonly problems: string[] = [];

  constructor(private readonly source: EnvironmentSource) {}

  /** An empty value counts as absent, because compose files pass unset variables as empty strings. */
  text(name: string): string | undefined {
    return this.source[name]?.trim() || undefined;
  }

  integer(name: string, { default: fallback, min, max }: IntegerRange): number {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (value >= min && value <= max) return value;
    this.reject(name, text, `a whole number from ${min} to ${max}`);
    return fallback;
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const text = this.text(name);
    if (text === undefined) return fallback;
    const found = allowed.find((value) => value === text.toLowerCase());
    if (found === undefined) this.reject(name, text, `one of ${allowed.join(', ')}`);
    return found ?? fallback;
  }

  matching(name: string, pattern: RegExp, allowed: string): string | undefined {
    const text = this.text(name);
    if (text === undefined || pattern.test(text)) return text;
    this.reject(name, text, allowed);
    return undefined;
  }

  /** The error message names the first entry that `accepts` rejects. */
  list(name: string, accepts: (entry: string) => boolean, allowed: string): string[] {
    const entries = splitList(this.text(name));
    const refused = entries.find((entry) => !accepts(entry));
    if (refused !== undefined) this.reject(name, refused, allowed);
    return entries;
  }

  /** A URL may contain a password, so the error message shows the value only if `secret` is false. */
  url(name: string, schemes: readonly string[], { secret }: { secret: boolean }): string | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (URL.canParse(text) && schemes.includes(new URL(text).protocol.slice(0, -1))) return text;
    const allowed = `a URL that starts with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`;
    this.reject(name, secret ? undefined : text, allowed);
    return undefined;
  }

  keys(name: string): Buffer[] {
    const keys = splitList(this.text(name)).map(decodeKey);
    const good = keys.filter((key) => key !== undefined);
    if (good.length < keys.length) this.reject(name, undefined, KEY_FORM);
    return good;
  }

  /** `given` is the rejected value, or undefined if the message must not show the value. */
  reject(name: string, given: string | undefined, allowed: string): void {
    const shown = given === undefined ? 'has a value that is not allowed' : `is ${JSON.stringify(given.slice(0, 80))}`;
    this.problems.push(`${name} ${shown}: expected ${allowed}.`);
  }

  finish(): void {
    if (this.problems.length > 0) throw new ConfigurationError(this.problems);
  }
}

function splitList(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function decodeKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return strong(Buffer.from(text, 'hex'));
  if (/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return strong(Buffer.from(text, 'base64'));
  return undefined;
}

// Fewer than 16 different bytes: a placeholder. The probability of so few in 32 random bytes is below 1e-13.
function strong(key: Buffer): Buffer | undefined {
  return new Set(key).size >= 16 ? key : undefined;
}

/** An undefined override removes the variable. */
export function childEnvironment(overrides: EnvironmentSource = {}): NodeJS.ProcessEnv {
  const merged = Object.entries({ ...process.env, ...overrides });
  return Object.fromEntries(merged.filter(([, value]) => value !== undefined));
}

export function isolatedEnvironment(): NodeJS.ProcessEnv {
  const names = ['TZ', 'NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'TMPDIR'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

/** Results of runs then do not depend on the host, even if a package reads local times. */
export function useUtc(): void {
  process.env.TZ = 'UTC';
}
