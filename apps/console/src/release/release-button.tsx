import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Search } from '../data/search.js';
import { Button, primaryLink } from '../ui/button.js';
import { Notice } from '../ui/notice.js';
import { releaseName } from './promotion-refusal.js';
import { ReleaseDialog } from './release-dialog.js';
import styles from './release.module.css';
import type { Release } from './use-release.js';

export interface ReleaseButtonProps {
  release: Release;
  version: number;
  look?: 'primary';
  /** Why the gate blocks the version, or null. */
  blocks?: string | null;
}

/** Opens the dialog that promotes this version. Nothing changes before the person confirms there. */
export function ReleaseButton({ release, version, look, blocks = null }: ReleaseButtonProps): ReactNode {
  return (
    <Button
      look={look}
      refusal={release.promoter.refusal(version) ?? blocks}
      aria-haspopup="dialog"
      onClick={() => release.open(version)}
    >
      {releaseName(release.agent, version)}
    </Button>
  );
}

/** Leads to the dialog of a version that the gate blocks. The dialog evaluates the version first. */
export function EvaluateAndPromote({ release, version }: Pick<ReleaseButtonProps, 'release' | 'version'>): ReactNode {
  const search: Search = useSearch({ strict: false });
  const refusal = release.promoter.refusal(version);
  if (refusal !== null)
    return (
      <Button look="primary" refusal={refusal}>
        Evaluate and promote
      </Button>
    );
  return (
    <Link className={primaryLink} to="." search={{ ...search, release: String(version) }} resetScroll={false}>
      Evaluate and promote
    </Link>
  );
}

/** Shows what the person has promoted, with a button that undoes it, and the dialog while it is open. */
export function ReleaseOutcome({ release }: { release: Release }): ReactNode {
  const { promoter, agent, version } = release;
  const { promoted } = promoter;
  const isCurrent = promoted !== null && promoted.version === agent.production_version;
  return (
    <>
      {isCurrent && (
        <Notice tone="green">
          <span className={styles.promoted} tabIndex={-1} ref={focusOnce}>
            Version {promoted.version} is in production.
          </span>
          {promoted.previous !== null && (
            <Button
              refusal={promoter.isPending ? 'A promotion is being sent.' : null}
              title={`Promotes version ${promoted.previous} again`}
              onClick={() => promoted.previous !== null && promoter.promote(promoted.previous)}
            >
              Undo
            </Button>
          )}
        </Notice>
      )}
      {version !== null && <ReleaseDialog key={version} release={release} version={version} />}
    </>
  );
}

/** The button that opened the dialog may be gone after the promotion, so the result takes the focus. */
function focusOnce(element: HTMLElement | null): void {
  if (element) requestAnimationFrame(() => element.focus());
}
