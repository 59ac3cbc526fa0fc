import { Link, useBlocker, useNavigate } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react';
import { CapabilityChanges } from '../release/capability-changes.js';
import type { Agent } from '../data/api.js';
import { useRefusal } from '../data/session.js';
import { Button, primaryLink } from '../ui/button.js';
import type { CodeEditorHandle } from '../ui/code-editor.js';
import { Dialog, DialogActions } from '../ui/dialog.js';
import { Card } from '../ui/page.js';
import { ProblemAlert } from '../ui/problem.js';
import { Time } from '../ui/time.js';
import { type DefinitionChecks, refusedPlaces, useChecks } from './definition-checks.js';
import { useDefinitionAssistant } from './definition-assistant.js';
import { DefinitionPlanView, useParsedDefinition, useStepAt } from './definition-plan-view.js';
import { type DraftState, type SavedText, useAddedCase, useDraft } from './draft-state.js';
import { DraftRun, type GivenInput } from './draft-run.js';
import { ExampleGallery, InsertExample } from './example-gallery.js';
import styles from './editor.module.css';
import { ProblemList } from './problem-list.js';
import { RunValues } from './run-values.js';
import { useVersionSaver, type VersionSaver } from './save-version.js';
import { VersionConflict } from './version-conflict.js';

const CodeEditor = lazy(() =>
  import('../ui/code-editor.js').then(({ CodeEditor: component }) => ({ default: component })),
);

export interface EditorScreenProps {
  draftKey: string;
  saved: SavedText;
  /** The edited agent. Undefined for a new agent. */
  agent?: Agent;
}

export function EditorScreen({ draftKey, saved, agent }: EditorScreenProps): ReactNode {
  const navigate = useNavigate();
  const draft = useDraft(draftKey, saved);
  const checks = useChecks(draft.text, agent);
  const { groups, definition, isLast } = useParsedDefinition(draft.text);
  const [cursor, setCursor] = useState(0);
  const step = useStepAt(draft.text, cursor);
  const [given, setGiven] = useState<GivenInput>();
  const saver = useVersionSaver(agent, draft, (id) => void navigate({ to: '/agents/$id', params: { id } }));
  useAddedCase(draft);
  return (
    <>
      <LeaveGuard isDirty={draft.isDirty} isSaving={saver.isPending} />
      <DraftNotes draft={draft} />
      <NewerNote agent={agent} draft={draft} saver={saver} />
      {saver.newer !== null && (
        <VersionConflict
          newer={saver.newer}
          text={draft.text}
          onTake={() => {
            if (saver.newer) draft.replace({ text: saver.newer.text, version: saver.newer.version });
            saver.reset();
          }}
        />
      )}
      {draft.text.trim() === '' && <ExampleGallery onChoose={({ text }) => draft.change(text)} />}
      <div className={styles.layout}>
        <TextPane {...{ agent, draft, definition, checks, saver }} onCursor={setCursor} />
        <div className={styles.side}>
          <Card title="Plan">
            <DefinitionPlanView groups={groups} isLast={isLast} />
          </Card>
          {agent !== undefined && (
            <Card title={`Changes against production, version ${agent.production_version}`}>
              {checks.changes ? (
                <CapabilityChanges changes={checks.changes} />
              ) : (
                <p className={styles.quiet}>
                  {checks.errors.length > 0 && 'The changes appear when the definition has no problems.'}
                  {checks.isChecked && checks.errors.length === 0 && checks.failure === null && 'Comparing …'}
                </p>
              )}
            </Card>
          )}
          {agent !== undefined && (
            <RunValues agent={agent.id} step={step} onUse={({ id, input }) => setGiven({ run: id, input })} />
          )}
          <DraftRun text={draft.text} definition={definition} given={given} isNew={agent === undefined} />
        </div>
      </div>
    </>
  );
}

/**
 * Asks for confirmation before the person leaves the editor with unsaved text. A reload needs no confirmation, because
 * the browser stores the text and restores it.
 */
function LeaveGuard({ isDirty, isSaving }: { isDirty: boolean; isSaving: boolean }): ReactNode {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && !isSaving && current.pathname !== next.pathname,
    enableBeforeUnload: false,
    withResolver: true,
  });
  return (
    <Dialog title="Leave without saving?" isOpen={status === 'blocked'} onClose={() => reset?.()}>
      <p>This browser stores the unsaved text. The editor shows it when you return.</p>
      <DialogActions>
        <Button onClick={() => reset?.()}>Stay</Button>
        <Button look="primary" onClick={() => proceed?.()}>
          Leave
        </Button>
      </DialogActions>
    </Dialog>
  );
}

function DraftNotes({ draft }: { draft: DraftState }): ReactNode {
  return (
    <>
      {draft.restoredAt !== null && (
        <div role="status" className={styles.note}>
          <span>
            This is text that you did not save, from <Time at={draft.restoredAt} />.
          </span>
          <Button onClick={() => draft.replace()}>Discard unsaved text</Button>
        </div>
      )}
      {draft.isUnstored && (
        <div role="alert" className={styles.note}>
          The browser cannot store the unsaved text, because its storage is full or disabled. Save before you leave the
          page.
        </div>
      )}
    </>
  );
}

/** Says at once that another person has saved a version, before this person saves and finds out. */
function NewerNote({ agent, draft, saver }: Pick<TextPaneProps, 'agent' | 'draft' | 'saver'>): ReactNode {
  const latest = agent?.latest_version ?? 0;
  if (draft.base === null || latest <= draft.base || saver.isPending || saver.newer !== null) return null;
  return (
    <div role="status" className={styles.news}>
      <span>
        Version {latest} was saved while you edit version {draft.base}.
      </span>
      <Button onClick={saver.showNewer}>Show the changes</Button>
    </div>
  );
}

interface TextPaneProps {
  agent: Agent | undefined;
  draft: DraftState;
  definition: unknown;
  checks: DefinitionChecks;
  saver: VersionSaver;
  onCursor: (offset: number) => void;
}

function TextPane({ agent, draft, definition, checks, saver, onCursor }: TextPaneProps): ReactNode {
  const handle = useRef<CodeEditorHandle>(null);
  const assistant = useDefinitionAssistant(definition);
  const refused = saver.isOutdated ? [] : refusedPlaces(saver.error);
  const known = new Set(checks.errors.map(({ line, message }) => `${line} ${message}`));
  const errors = [...checks.errors, ...refused.filter(({ line, message }) => !known.has(`${line} ${message}`))];
  return (
    <div className={styles.main}>
      <SaveBar agent={agent} draft={draft} saver={saver} />
      <ProblemAlert error={saver.isOutdated ? null : saver.error} />
      <ProblemAlert error={checks.failure} />
      <div className={styles.paper}>
        <Suspense fallback={<p className={styles.loading}>The editor is loading.</p>}>
          <CodeEditor
            ref={handle}
            label="Definition"
            hint={HINT}
            text={draft.text}
            onChange={draft.change}
            onSave={saver.save}
            onCursor={onCursor}
            findings={[...errors, ...checks.warnings]}
            assistant={assistant}
          />
        </Suspense>
      </div>
      <ProblemList
        errors={errors}
        warnings={checks.warnings}
        isEmpty={draft.text.trim() === ''}
        isChecked={checks.isChecked}
        onOpen={({ line, column }) => handle.current?.goTo(line, column)}
        onCorrect={(fix) => handle.current?.correct(fix)}
      />
    </div>
  );
}

const HINT = 'Write the definition in YAML or JSON, or start from one of the examples.';

function SaveBar({ agent, draft, saver }: Pick<TextPaneProps, 'agent' | 'draft' | 'saver'>): ReactNode {
  const refusal = useRefusal('agents:write');
  const isEmpty = draft.text.trim() === '' ? 'The definition is empty.' : null;
  const isSaved = saver.saved !== null && !draft.isDirty;
  return (
    <div className={styles.bar}>
      <Button
        look={isSaved ? 'plain' : 'primary'}
        refusal={refusal ?? isEmpty ?? (saver.isPending ? 'The version is being saved.' : null)}
        onClick={saver.save}
      >
        Save version
      </Button>
      <SaveState agent={agent} draft={draft} saved={isSaved ? saver.saved : null} />
      {isEmpty === null && <InsertExample onChoose={({ text }) => draft.change(text)} />}
      <span className={styles.keys}>Escape, then Tab leaves the editor.</span>
    </div>
  );
}

interface SaveStateProps extends Pick<TextPaneProps, 'agent' | 'draft'> {
  /** The version that was saved, until the text changes. */
  saved: number | null;
}

function SaveState({ agent, draft, saved }: SaveStateProps): ReactNode {
  const note = draft.isDirty
    ? `Not saved${draft.base === null ? '' : `, based on version ${draft.base}`}`
    : draft.base !== null && `Version ${draft.base}`;
  return (
    <span role="status" className={styles.quiet}>
      {saved === null ? note : `Saved as version ${saved}. `}
      {saved !== null && agent && saved !== agent.production_version && (
        <>
          <Link
            to="/agents/$id/compare/$range"
            params={{ id: agent.id, range: `${agent.production_version}...${saved}` }}
          >
            Compare with production
          </Link>{' '}
          <Link className={primaryLink} to="/agents/$id" params={{ id: agent.id }} search={{ release: String(saved) }}>
            Promote version {saved}
          </Link>
        </>
      )}
    </span>
  );
}
