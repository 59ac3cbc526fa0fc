import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { foldKeymap, indentOnInput } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, type Line, Prec, type Text } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  hoverTooltip,
  keymap,
  placeholder,
} from '@codemirror/view';
import { type ReactNode, type Ref, useEffect, useEffectEvent, useImperativeHandle, useRef } from 'react';
import { codeBase } from './code-base.js';
import styles from './code.module.css';

/** An error or warning at a position in the text. Lines and columns are numbered from 1. */
export interface CodeFinding {
  severity: 'error' | 'warning';
  line: number;
  column: number;
  message: string;
  fix?: CodeFix;
}

/** A change that corrects a mistake: `with` in place of `replace`, which begins at the line and column. */
export interface CodeFix {
  line: number;
  column: number;
  replace: string;
  with: string;
}

export interface CodeSuggestion {
  label: string;
  insert: string;
  detail: string;
  info: string;
  /** Entries with a higher rank come first. Default: 0. */
  rank?: number;
}

/** Provides completion, and descriptions of keys. */
export interface CodeAssistant {
  suggest: (text: string, offset: number) => { from: number; items: readonly CodeSuggestion[] } | undefined;
  /** Returns the description of the definition key in the line `row`. Rows are numbered from 0. */
  describe: (text: string, row: number) => string | undefined;
}

export interface CodeEditorHandle {
  goTo: (line: number, column: number) => void;
  /** Corrects a mistake. Changes nothing if the text at the place is not the wrong one any more. */
  correct: (fix: CodeFix) => void;
}

export interface CodeEditorProps {
  label: string;
  text: string;
  onChange: (text: string) => void;
  onSave: () => void;
  /** Called with the offset of the cursor when it moves. */
  onCursor: (offset: number) => void;
  findings: readonly CodeFinding[];
  assistant: CodeAssistant;
  hint: string;
  ref: Ref<CodeEditorHandle>;
}

/** The editor is loaded as a separate chunk, because it is larger than the rest of its page. */
export function CodeEditor(props: CodeEditorProps): ReactNode {
  const { label, text, findings, hint, ref } = props;
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changed = useEffectEvent((next: string) => props.onChange(next));
  const saved = useEffectEvent(() => props.onSave());
  const moved = useEffectEvent((offset: number) => props.onCursor(offset));
  const assisted = useEffectEvent(() => props.assistant);
  const first = useEffectEvent(() => text);
  useEffect(() => {
    if (parent.current === null) return;
    const extensions = [
      codeBase(label),
      editing({ hint, onChange: changed, onSave: saved, onCursor: moved }),
      assistance(() => assisted()),
    ];
    const editor = new EditorView({ parent: parent.current, state: EditorState.create({ doc: first(), extensions }) });
    view.current = editor;
    return () => editor.destroy();
  }, [label, hint]);
  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== text)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);
  useEffect(() => {
    const editor = view.current;
    if (editor) editor.dispatch(setDiagnostics(editor.state, diagnostics(editor.state, findings)));
  }, [findings]);
  useImperativeHandle(ref, () => ({
    goTo: (line, column) => view.current && goTo(view.current, line, column),
    correct: (fix) => view.current && correct(view.current, fix),
  }));
  return <div ref={parent} className={styles.editor} />;
}

type Editing = Pick<CodeEditorProps, 'hint' | 'onChange' | 'onSave' | 'onCursor'>;

function editing({ hint, onChange, onSave, onCursor }: Editing): Extension {
  const save = (): boolean => {
    onSave();
    return true;
  };
  return [
    history(),
    indentOnInput(),
    lintGutter(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    search({ top: true }),
    highlightSelectionMatches({ minSelectionLength: 2 }),
    placeholder(hint),
    Prec.high(
      keymap.of([
        { key: 'Tab', run: acceptCompletion },
        { key: 'Mod-s', run: save, preventDefault: true },
      ]),
    ),
    keymap.of([...completionKeymap, ...searchKeymap, ...defaultKeymap, ...historyKeymap, ...foldKeymap, indentWithTab]),
    EditorView.domEventHandlers({ beforeinput: replaceLines }),
    // After Escape, the Tab key moves the focus out of the editor until the person types again.
    EditorView.domEventObservers({ keydown: ({ key }, editor) => key === 'Escape' && editor.setTabFocusMode(true) }),
    EditorView.updateListener.of(({ docChanged, selectionSet, state, view: editor }) => {
      if (docChanged || selectionSet) onCursor(state.selection.main.head);
      if (!docChanged) return;
      editor.setTabFocusMode(false);
      onChange(state.doc.toString());
    }),
  ];
}

/**
 * Replaces a selection of several lines with the typed text. The browser would copy the styles of the lines into style
 * attributes, which the content security policy blocks. Reads the selection from the DOM, because the selection in the
 * state of the editor may be outdated.
 */
function replaceLines(event: InputEvent, editor: EditorView): boolean {
  const selection = editor.dom.ownerDocument.getSelection();
  if (event.inputType !== 'insertText' || event.data === null || selection === null || selection.isCollapsed)
    return false;
  const range = selection.getRangeAt(0);
  const from = editor.posAtDOM(range.startContainer, range.startOffset);
  const to = editor.posAtDOM(range.endContainer, range.endOffset);
  event.preventDefault();
  editor.dispatch({
    changes: { from, to, insert: editor.state.toText(event.data) },
    selection: { anchor: from + event.data.length },
    userEvent: 'input.type',
    scrollIntoView: true,
  });
  return true;
}

function assistance(assistant: () => CodeAssistant): Extension {
  const source = ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const found = assistant().suggest(state.doc.toString(), pos);
    if (found === undefined || (!explicit && found.from === pos && !isAtBeginning(state, pos))) return null;
    return { from: found.from, options: found.items.map(completionOf), validFor: /^[\w-]*$/ };
  };
  return [
    autocompletion({ override: [source], icons: false }),
    hoverTooltip((editor, position) => {
      const line = editor.state.doc.lineAt(position);
      const text = assistant().describe(editor.state.doc.toString(), line.number - 1);
      if (text === undefined) return null;
      return { pos: line.from, end: line.to, above: true, create: () => ({ dom: textNode(text) }) };
    }),
  ];
}

/**
 * Returns whether the cursor is at the beginning of a value, of an expression or of a member. There, the editor suggests
 * before the person has typed a character.
 */
function isAtBeginning(state: EditorState, position: number): boolean {
  return /(?::\s|\w\.|\{\{ ?)$/.test(state.sliceDoc(Math.max(0, position - 4), position));
}

function completionOf({ label, insert, detail, info, rank = 0 }: CodeSuggestion): Completion {
  return { label, apply: insert, detail, boost: rank, ...(info !== '' && { info: () => textNode(info) }) };
}

function textNode(text: string): HTMLElement {
  const element = document.createElement('div');
  element.textContent = text;
  return element;
}

/** Returns a text in which the parts between backticks are code. */
function codeNode(text: string): HTMLElement {
  const element = document.createElement('span');
  for (const [n, part] of text.split('`').entries()) {
    const child = n % 2 === 0 ? document.createTextNode(part) : document.createElement('code');
    child.textContent = part;
    element.append(child);
  }
  return element;
}

function diagnostics({ doc }: EditorState, findings: readonly CodeFinding[]): Diagnostic[] {
  return findings
    .map(({ severity, line, column, message, fix }): Diagnostic => {
      const said = { severity, message, renderMessage: () => codeNode(message) };
      if (fix === undefined) return { from: offsetOf(doc, line, column), to: lineAt(doc, line).to, ...said };
      const from = offsetOf(doc, fix.line, fix.column);
      const action = { name: `Change to ${fix.with}`, apply: (editor: EditorView) => correct(editor, fix) };
      return { from, to: from + wrongText(doc, fix).length, ...said, actions: [action] };
    })
    .sort((one, other) => one.from - other.from);
}

function lineAt(doc: Text, line: number): Line {
  return doc.line(Math.min(Math.max(line, 1), doc.lines));
}

function offsetOf(doc: Text, line: number, column: number): number {
  const at = lineAt(doc, line);
  return Math.min(at.from + column - 1, at.to);
}

/** Returns the text that the fix replaces, or an empty text if the document has changed there. */
function wrongText(doc: Text, { line, column, replace }: CodeFix): string {
  const from = offsetOf(doc, line, column);
  return doc.sliceString(from, from + replace.length) === replace ? replace : '';
}

function correct(editor: EditorView, fix: CodeFix): void {
  const { doc } = editor.state;
  const wrong = wrongText(doc, fix);
  if (wrong === '') return;
  const from = offsetOf(doc, fix.line, fix.column);
  editor.dispatch({
    changes: { from, to: from + wrong.length, insert: fix.with },
    selection: { anchor: from + fix.with.length },
    userEvent: 'input.complete',
    scrollIntoView: true,
  });
  editor.focus();
}

function goTo(editor: EditorView, line: number, column: number): void {
  const anchor = offsetOf(editor.state.doc, line, column);
  editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
  editor.focus();
}
