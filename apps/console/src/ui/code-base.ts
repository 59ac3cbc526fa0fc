import { bracketMatching, foldGutter, syntaxHighlighting } from '@codemirror/language';
import { yaml } from '@codemirror/lang-yaml';
import type { Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, lineNumbers } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';

/**
 * Returns the nonce of the page for the content security policy. Without the nonce, the policy blocks the style element
 * of the editor.
 */
function pageNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
}

const LOOKS = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '0.8125rem' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-gutters': {
    color: 'var(--text-muted)',
    backgroundColor: 'var(--surface-sunken)',
    borderRight: '1px solid var(--border)',
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--hover) 55%, transparent)' },
  '.cm-activeLineGutter': { color: 'var(--text)', backgroundColor: 'var(--hover)' },
  '.cm-selectionMatch': { backgroundColor: 'var(--selected)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--selected)' },
  '.cm-specialChar': { color: 'var(--red)' },
  '.cm-placeholder': { color: 'var(--text-muted)' },
  '.cm-tooltip': {
    maxWidth: 'min(460px, 90vw)',
    color: 'var(--text)',
    backgroundColor: 'var(--surface-raised)',
    border: '1px solid var(--border)',
    borderRadius: 'var(--radius)',
    boxShadow: 'var(--shadow-raised)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'var(--text)', backgroundColor: 'var(--selected)' },
  '.cm-completionDetail': { color: 'var(--text-muted)', fontStyle: 'normal' },
  '.cm-tooltip.cm-completionInfo': { padding: '8px 10px', fontFamily: 'var(--font)' },
  '.cm-tooltip-hover': { padding: '6px 10px' },
  '.cm-diagnosticAction': {
    padding: '3px 10px',
    color: 'var(--on-fill)',
    backgroundColor: 'var(--accent-fill)',
    borderRadius: 'var(--radius)',
    fontFamily: 'var(--font)',
  },
  '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--surface-sunken)', fontFamily: 'var(--font)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--border)' },
  '.cm-panel.cm-search, .cm-panel.cm-dialog': { padding: '6px 40px 6px 10px' },
  '.cm-panel.cm-search label, .cm-panel.cm-dialog label': { fontSize: 'inherit', whiteSpace: 'nowrap' },
  '.cm-textfield': {
    minHeight: '30px',
    maxWidth: '100%',
    padding: '3px 8px',
    color: 'var(--text)',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--border-strong)',
    borderRadius: 'var(--radius)',
    fontSize: 'inherit',
  },
  '.cm-button': {
    minHeight: '30px',
    padding: '0 10px',
    backgroundColor: 'var(--surface-raised)',
    backgroundImage: 'none',
    border: '1px solid var(--border)',
    borderRadius: 'var(--radius)',
    fontSize: 'inherit',
    cursor: 'pointer',
  },
  '.cm-button:hover, .cm-button:active': { backgroundColor: 'var(--hover)', backgroundImage: 'none' },
  '.cm-panel.cm-search [name=close], .cm-panel .cm-dialog-close': {
    top: '4px',
    right: '4px',
    width: '30px',
    height: '30px',
    fontSize: '1.125rem',
    cursor: 'pointer',
  },
  '.cm-searchMatch': { backgroundColor: 'var(--amber-soft)', outline: '1px solid var(--amber)' },
  '.cm-searchMatch.cm-searchMatch-selected': { backgroundColor: 'var(--selected)', outline: '2px solid var(--focus)' },
  '.cm-collapsedLines': { color: 'var(--text-muted)', background: 'var(--surface-sunken)' },
  '.tok-propertyName, .tok-definition': { color: 'var(--accent)' },
  '.tok-string': { color: 'var(--green)' },
  '.tok-number, .tok-bool, .tok-keyword, .tok-atom': { color: 'var(--violet)' },
  '.tok-comment, .tok-meta': { color: 'var(--text-muted)' },
});

/**
 * Returns the editor extensions that all views of a definition share. Control characters are visible in all views,
 * because such characters could hide text.
 */
export function codeBase(label: string): Extension {
  return [
    EditorView.cspNonce.of(pageNonce()),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
    EditorView.lineWrapping,
    lineNumbers(),
    foldGutter({ openText: '▾', closedText: '▸' }),
    highlightSpecialChars(),
    bracketMatching(),
    yaml(),
    syntaxHighlighting(classHighlighter),
    LOOKS,
  ];
}
