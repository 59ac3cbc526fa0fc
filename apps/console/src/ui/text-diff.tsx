import { MergeView, unifiedMergeView } from '@codemirror/merge';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type ReactNode, useEffect, useRef } from 'react';
import { codeBase } from './code-base.js';
import styles from './code.module.css';

export interface DiffSide {
  label: string;
  text: string;
}

export interface TextDiffProps {
  before: DiffSide;
  after: DiffSide;
  /** True to show the texts side by side, false to show them in one column. */
  split: boolean;
}

const COLLAPSED = { margin: 3, minSize: 6 };

/** Shows two read-only texts and marks their differences. The keyboard can focus them. */
export function TextDiff({ before, after, split }: TextDiffProps): ReactNode {
  const parent = useRef<HTMLDivElement>(null);
  const [first, firstLabel, second, secondLabel] = [before.text, before.label, after.text, after.label];
  useEffect(() => {
    if (parent.current === null) return;
    const view = split
      ? new MergeView({
          parent: parent.current,
          a: { doc: first, extensions: reading(firstLabel) },
          b: { doc: second, extensions: reading(secondLabel) },
          collapseUnchanged: COLLAPSED,
          gutter: true,
        })
      : unified(parent.current, first, second, `${firstLabel}, changed to ${secondLabel}`);
    return () => view.destroy();
  }, [split, first, firstLabel, second, secondLabel]);
  return <div ref={parent} className={styles.diff} />;
}

function unified(parent: HTMLElement, before: string, after: string, label: string): EditorView {
  const merge = unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: COLLAPSED });
  return new EditorView({ parent, doc: after, extensions: [reading(label), merge] });
}

function reading(label: string): Extension {
  return [codeBase(label), EditorState.readOnly.of(true), EditorView.contentAttributes.of({ inputmode: 'none' })];
}
