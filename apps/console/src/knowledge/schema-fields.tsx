import type { ReactNode } from 'react';
import { optionText } from '../agents/input-fields.js';
import { problemPlaces } from '../data/api.js';
import { FileField } from '../files/file-field.js';
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
  return entries.map((entry) =>
    isGroup(entry) ? (
      <fieldset key={entry.pointer} className={styles.group}>
        <legend>{entry.label}</legend>
        {entry.fields.map(shown)}
        <GroupProblem problem={places.find(({ pointer }) => pointer === at + entry.pointer)?.detail} />
      </fieldset>
    ) : (
      shown(entry)
    ),
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
