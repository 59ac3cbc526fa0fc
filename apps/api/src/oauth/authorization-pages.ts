import { createHash } from 'node:crypto';
import type { Response } from 'express';
import { type DomainError, ERROR_CODES } from '@app/kernel';
import { problemHeaders, toProblem } from '../http/problem.js';
import type { Authorized, OpenQuestion } from './oauth-flows.service.js';

/** The colours and sizes of the sign-in page of the console. The page needs no script and loads no file. */
const STYLE = `
:root { color-scheme: light dark; --surface: light-dark(#fff, #18191c); --text: light-dark(#16181d, #eceef2);
  --muted: light-dark(#5a5f6b, #a3a8b4); --border: light-dark(#e3e4e8, #2b2d33); --fill: light-dark(#3b5bdb, #4c68de) }
* { box-sizing: border-box; margin: 0 }
html { font: 14px/1.5 ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif;
  background: light-dark(#f7f7f8, #111214); color: var(--text); -webkit-text-size-adjust: 100% }
body { display: grid; place-items: center; min-height: 100vh; padding: 24px 16px }
main { display: grid; gap: 18px; width: min(440px, 100%); padding: 28px; border: 1px solid var(--border);
  border-radius: 14px; background: var(--surface); box-shadow: 0 12px 32px light-dark(rgb(16 24 40 / 18%), rgb(0 0 0 / 60%));
  overflow-wrap: anywhere }
svg { width: 36px; height: 36px }
h1 { font-size: 22px; line-height: 1.25; font-weight: 650; letter-spacing: -0.015em }
dl { display: grid; gap: 10px; padding: 14px 0; border: solid var(--border); border-width: 1px 0 }
dt { font-size: 12px; color: var(--muted) }
dd { margin: 0 }
ul { padding: 0; list-style: none }
code { font: 13px ui-monospace, 'SF Mono', SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace }
.muted { color: var(--muted) }
form { display: flex; flex-wrap: wrap; gap: 10px }
button { flex: 1 1 140px; min-height: 44px; padding: 0 16px; border: 1px solid light-dark(#8b8f9a, #6b707c);
  border-radius: 6px; background: none; color: inherit; font: inherit; font-weight: 550; cursor: pointer }
button[value='continue'] { border-color: var(--fill); background: var(--fill); color: #fff }
:focus-visible { outline: 2px solid light-dark(#3b5bdb, #8ea4ff); outline-offset: 2px }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const ICON =
  '<svg viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#3b5bdb"/><path d="M8 22V12.5a2.5 2.5 0 0 1 5 0V20a2.5 2.5 0 0 0 5 0v-7.5a2.5 2.5 0 0 1 5 0V22" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/></svg>';

interface Page {
  title: string;
  /** HTML. Texts from outside must be escaped. */
  content: string;
  /** Addresses to which a form of the page may lead, as sources of the Content Security Policy. */
  formTargets?: readonly string[];
  status?: number;
}

/** Returns the page, and sets its headers. */
function page(response: Response, { title, content, formTargets = ["'none'"], status = 200 }: Page): string {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action ${formTargets.join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  response
    .status(status)
    .type('text/html; charset=utf-8')
    .set({
      'Content-Security-Policy': policy.join('; '),
      'Cross-Origin-Opener-Policy': 'same-origin',
      // With `no-referrer`, browsers would send `Origin: null` with the form.
      'Referrer-Policy': 'same-origin',
    });
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${escaped(title)} · Agent Automation</title><style>${STYLE}</style>`;
  return `<!doctype html><html lang="en"><head>${head}</head><body><main>${ICON}<h1>${escaped(title)}</h1>${content}</main></body></html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Isolates the text, so that writing directions in it cannot reorder the text around it. */
function foreign(text: string): string {
  return `<bdi>${escaped(text)}</bdi>`;
}

/**
 * The page that names what a person is asked to allow, before the browser goes to the provider.
 * @param fields the hidden fields of its form
 */
export function questionPage(
  response: Response,
  { kind, name, provider, workspace, requestedBy }: OpenQuestion,
  fields: Readonly<Record<string, string>>,
): string {
  const { title, authorize_url: url, scopes } = provider;
  const { host, protocol, origin } = new URL(url);
  const use = {
    connection: `Tools of agents act with your account, through the connection ${foreign(name)}.`,
    source: `The documents of your account are read into the knowledge base ${foreign(name)}.`,
  }[kind];
  const allowed =
    scopes.length === 0
      ? '<p>The provider names the permissions on its next page.</p>'
      : `<ul>${scopes.map((scope) => `<li><code>${foreign(scope)}</code></li>`).join('')}</ul>`;
  const hidden = Object.entries(fields).map(
    ([field, value]) => `<input type="hidden" name="${field}" value="${escaped(value)}">`,
  );
  const content = `<p><strong>${foreign(requestedBy)}</strong> asks for access to your account at <strong>${foreign(title)}</strong>.</p><dl>
<div><dt>Workspace</dt><dd>${foreign(workspace)}</dd></div>
<div><dt>Provider</dt><dd>${foreign(title)} (${foreign(host)})</dd></div>
<div><dt>Use</dt><dd>${use}</dd></div>
<div><dt>Permissions</dt><dd>${allowed}</dd></div></dl>
<p class="muted">Continue only if you know this person and expect this request. The members of the workspace then use your account within these permissions.</p>
<form method="post" action="authorize">${hidden.join('')}<button name="decision" value="continue">Continue</button><button name="decision" value="cancel">Cancel</button></form>`;
  // Browsers also apply `form-action` to the redirects after the form, and providers redirect to other hosts.
  const formTargets = ["'self'", 'https:', ...(protocol === 'http:' ? [origin] : [])];
  return page(response, { title: 'Give access to your account?', content, formTargets });
}

export function cancelledPage(response: Response, { workspace, provider }: OpenQuestion): string {
  const content = `<p>The workspace ${foreign(workspace)} has no access to your account at ${foreign(provider.title)} from this request. The link no longer works. You can close this window.</p>`;
  return page(response, { title: 'The request is cancelled', content });
}

export function authorizedPage(response: Response, { kind, id, title }: Authorized): string {
  const content = `<p>${foreign(title)} is connected as the ${kind} <code>${id}</code>. You can close this window.</p>`;
  return page(response, { title: `${title} is connected`, content });
}

/** Shows a rejected request to a person, with the status and the headers of the error. */
export function refusalPage(response: Response, requestId: string, error: DomainError): string {
  const { status, title, detail } = toProblem(error, requestId);
  response.set(problemHeaders(error));
  const content = `<p>${foreign(detail)}</p><p>${escaped(ERROR_CODES[error.code].remedy)}</p><p class="muted">Request <code>${escaped(requestId)}</code></p>`;
  return page(response, { title, content, status });
}
