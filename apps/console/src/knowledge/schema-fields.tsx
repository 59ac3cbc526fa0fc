import { type ReactNode, useId } from 'react';
import { optionText } from '../agents/input-fields.js';
import { problemPlaces } from '../data/api.js';
import { useKnownSecrets } from '../data/known-things.js';
import { FileField } from '../files/file-field.js';
import { ComboField } from '../ui/combo-box.js';
import controls from '../ui/controls.module.css';
import { Choice, TextField } from '../ui/field.js';
import { problemAt } from './field-problems.js';
import styles from './knowledge.module.css';
import { type FormEntry, type FormField, type FormTexts, isGroup } from './schema-form.js';

export interface SchemaFieldsProps {
  entries: readonly FormEntry[];
  texts: FormTexts;
  onChange: (change: (texts: FormTexts) => Readonly<Record<string, string>>) => void;
  error: unknown;
  /** Location of the edited object in the request body, as a JSON Pointer. For example `/config`. */
  at: string;
}

export function SchemaFields({ entries, texts, onChange, error, at }: SchemaFieldsProps): ReactNode {
  const places = problemPlaces(error);
  const shown = (field: FormField): ReactNode => {
    const value = texts[field.pointer] ?? '';
    return (
      <SchemaField
        key={field.pointer}
        field={field}
        value={value}
        onChange={(text) => onChange((before) => ({ ...before, [field.pointer]: text }))}
        problem={problemAt(places, at + field.pointer, field.rule ? '' : value)}
      />
    );
  };
  const show = (entry: FormEntry): ReactNode =>
    isGroup(entry) ? (
      <fieldset key={entry.pointer} className={styles.group}>
        <legend>{entry.label}</legend>
        {entry.fields.map(shown)}
        <GroupProblem problem={places.find(({ pointer }) => pointer === at + entry.pointer)?.detail} />
      </fieldset>
    ) : (
      shown(entry)
    );
  const isMain = (entry: FormEntry): boolean => isGroup(entry) || entry.isRequired;
  const main = entries.filter(isMain);
  const further = entries.filter((entry) => !isMain(entry));
  // Without a required field, nothing is hidden. A problem is never hidden.
  const isWrong = places.some(({ pointer = '' }) => further.some((entry) => pointer.startsWith(at + entry.pointer)));
  return (
    <>
      {main.map(show)}
      {further.length > 0 && <Further isOpen={main.length === 0 || isWrong}>{further.map(show)}</Further>}
    </>
  );
}

/** The fields that a person rarely changes. */
function Further({ isOpen, children }: { isOpen: boolean; children: ReactNode }): ReactNode {
  return (
    <details className={styles.details} open={isOpen || undefined}>
      <summary>Limits and further settings</summary>
      <div className={styles.fields}>{children}</div>
    </details>
  );
}

function GroupProblem({ problem }: { problem: string | undefined }): ReactNode {
  return problem === undefined ? null : <p className={styles.invalid}>{problem}</p>;
}

interface SchemaFieldProps {
  field: FormField;
  value: string;
  onChange: (text: string) => void;
  problem: string | undefined;
}

function SchemaField({ field, ...rest }: SchemaFieldProps): ReactNode {
  const { label, hint, kind, options, rule } = field;
  const shared = { ...rest, label, hint };
  if (rule) return <FileField {...shared} rule={rule} isList={kind === 'files'} />;
  if (kind === 'switch') return <SwitchField {...shared} isOnByDefault={field.isOnByDefault === true} />;
  if (field.isSecret === true) return <SecretField {...shared} />;
  if (kind === 'choice')
    return (
      <Choice
        {...shared}
        options={[{ value: '', label: 'Not set' }, ...options.map((value) => ({ value: optionText(value) }))]}
      />
    );
  const isLong = kind === 'texts' || kind === 'pairs' || kind === 'json';
  return <TextField {...shared} multiline={isLong} code={isLong} inputMode={kind === 'number' ? 'decimal' : 'text'} />;
}

interface SwitchFieldProps {
  label: string;
  hint?: string;
  problem?: string;
  value: string;
  onChange: (text: string) => void;
  isOnByDefault: boolean;
}

function SwitchField({ label, hint, problem, value, onChange, isOnByDefault }: SwitchFieldProps): ReactNode {
  const id = useId();
  return (
    <div className={controls.field}>
      <label className={controls.check}>
        <input
          type="checkbox"
          role="switch"
          aria-describedby={id}
          checked={value === '' ? isOnByDefault : value === 'true'}
          onChange={({ target }) => onChange(String(target.checked))}
        />
        <span>{label}</span>
      </label>
      <div id={id} className={problem === undefined ? controls.hint : controls.invalid}>
        {problem ?? hint}
      </div>
    </div>
  );
}

/** Chooses a secret of the workspace. A stored reference shows as dots. */
function SecretField(props: Omit<SwitchFieldProps, 'isOnByDefault'>): ReactNode {
  const { options, onSearch } = useKnownSecrets();
  return <ComboField {...props} empty="Choose a secret" options={options} onSearch={onSearch} />;
}
