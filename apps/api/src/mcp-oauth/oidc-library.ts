import type * as oidc from 'oidc-provider';

export type OidcLibrary = typeof oidc;

const UNSUPPORTED = 'Unsupported runtime';

/**
 * Loads `oidc-provider`, which needs memory, only in a process that uses it. The library warns about versions of Node.js
 * before 22 on stderr; the tests run on the oldest version that the service supports, so the warning is not printed. The
 * earliest of these versions lack `URL.parse`.
 */
export async function loadOidcLibrary(): Promise<OidcLibrary> {
  if (!('parse' in URL)) Object.assign(URL, { parse: parseUrl });
  const { warn } = console;
  // oxlint-disable-next-line no-console -- the library prints the warning with it
  console.warn = (...words: unknown[]) => {
    if (!String(words[0]).includes(UNSUPPORTED)) warn(...words);
  };
  try {
    return await import('oidc-provider');
  } finally {
    // oxlint-disable-next-line no-console -- see above
    console.warn = warn;
  }
}

function parseUrl(url: string, base?: string): URL | null {
  return URL.canParse(url, base) ? new URL(url, base) : null;
}
