import { ChevronDown, X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import {
  Button as AriaButton,
  ComboBox,
  ComboBoxStateContext,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Tag,
  TagGroup,
  TagList,
  Text,
} from 'react-aria-components';
import styles from './combo-box.module.css';
import controls from './controls.module.css';
import { type KnownOption, labelOf, matching, MAX_LISTED, type OtherValues, readTyped } from '../data/known-options.js';

interface ComboProps {
  label: string;
  options: readonly KnownOption[];
  /** Called when the person begins to search. Reads the options that are not loaded yet. */
  onSearch?: () => void;
  hint?: string;
  problem?: string;
}

export interface ComboFieldProps extends ComboProps {
  /** The chosen value. Empty if there is none. */
  value: string;
  onChange: (value: string) => void;
  /** Text of the empty value, for example `Any agent`. */
  empty: string;
  /** True to hide the label visually. It remains the accessible name. */
  compact?: boolean;
}

const EMPTY = 'empty';

/** A field that chooses one of the options, with a search. A value that is not an option shows as itself. */
export function ComboField({ value, onChange, options, empty, compact = false, ...props }: ComboFieldProps): ReactNode {
  const [text, setText] = useState('');
  const isKnown = value === '' || options.some((option) => option.value === value);
  const all = isKnown ? options : [{ value }, ...options];
  const chosenLabel = value === '' ? '' : labelOf(all, value);
  const found = matching(all, text === chosenLabel ? '' : text);
  const none = value !== '' && text === chosenLabel ? [{ value: EMPTY, label: empty }] : [];
  return (
    <ComboBox
      className={`${controls.field} ${styles.single}`}
      items={[...none, ...found.slice(0, MAX_LISTED)].map((option) => ({ ...option, id: option.value }))}
      value={value === '' ? null : value}
      onChange={(key) => onChange(key === null || key === EMPTY ? '' : String(key))}
      onInputChange={setText}
      menuTrigger="input"
      allowsEmptyCollection
      isInvalid={props.problem !== undefined}
    >
      <Label className={compact ? 'visually-hidden' : undefined}>{props.label}</Label>
      <ComboInput placeholder={empty} onSearch={props.onSearch} />
      <FieldTexts {...props} />
      <Options hidden={found.length - MAX_LISTED} />
    </ComboBox>
  );
}

export interface MultiComboFieldProps extends ComboProps {
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
  /** What an option is, for messages. For example `agent`. */
  noun: string;
  /** The rule for texts that are not in the list. Without it, only options can be chosen. */
  others?: OtherValues;
}

type TypedProps = Pick<MultiComboFieldProps, 'chosen' | 'onChange' | 'noun' | 'options' | 'others'>;

interface Typed {
  text: string;
  /** Why the text cannot be added. */
  refusal: string | undefined;
  type: (text: string) => void;
  choose: (values: readonly string[]) => void;
  /** Adds the text, or the match if the text is no value. Returns whether there was a text. */
  take: (match?: KnownOption) => boolean;
}

function useTyped({ chosen, onChange, noun, options, others }: TypedProps): Typed {
  const [text, setText] = useState('');
  const [refusal, setRefusal] = useState<string>();
  const type = (next: string): void => {
    setText(next);
    setRefusal(undefined);
  };
  const choose = (values: readonly string[]): void => {
    onChange([...new Set(values)]);
    type('');
  };
  const take = (match?: KnownOption): boolean => {
    if (text.trim() === '') return false;
    const { values, problem: reason } = readTyped(options, text, { noun, others });
    if (reason === undefined) choose([...chosen, ...values]);
    else if (match !== undefined) choose([...chosen, match.value]);
    else setRefusal(reason);
    return true;
  };
  return { text, refusal, type, choose, take };
}

/** A field that chooses several options, with a search and, above it, a chip for each chosen value. */
export function MultiComboField({ chosen, onChange, noun, others, ...props }: MultiComboFieldProps): ReactNode {
  const { label, options, problem } = props;
  const { text, refusal, type, choose, take } = useTyped({ chosen, onChange, noun, options, others });
  const unlisted = chosen.filter((value) => !options.some((option) => option.value === value));
  const found = matching([...options, ...unlisted.map((value) => ({ value }))], text);
  const isLeaving = useRef(false);
  const press = (event: KeyboardEvent<HTMLInputElement>): void => {
    isLeaving.current = event.key === 'Tab';
    const isOnOption = event.currentTarget.getAttribute('aria-activedescendant') !== null;
    const first = found.find(({ value }) => !chosen.includes(value)) ?? found[0];
    if (event.key === 'Enter' && !isOnOption && take(first)) event.preventDefault();
    if (event.key === 'Backspace' && text === '') onChange(chosen.slice(0, -1));
  };
  return (
    <div className={controls.field}>
      <Chips label={label} chosen={chosen} options={options} onChange={onChange} />
      <ComboBox
        className={styles.parts}
        selectionMode="multiple"
        items={found.slice(0, MAX_LISTED).map((option) => ({ ...option, id: option.value }))}
        value={[...chosen]}
        onChange={(keys) => {
          // The library lets Tab toggle the option that has the focus, which is a chosen one when the list opens.
          if (isLeaving.current && keys.length < chosen.length) return;
          if (keys.length !== chosen.length) choose(keys.map(String));
        }}
        inputValue={text}
        onInputChange={type}
        onBlur={() => {
          isLeaving.current = false;
          take();
        }}
        menuTrigger="input"
        allowsCustomValue
        allowsEmptyCollection
        isInvalid={refusal !== undefined || problem !== undefined}
      >
        <Label>{label}</Label>
        <ComboInput
          placeholder={`Add ${noun}`}
          onSearch={props.onSearch}
          onKeyDown={press}
          count={chosen.length}
          isUnread={text.trim() !== ''}
        />
        <FieldTexts hint={props.hint} problem={refusal ?? problem} />
        <Options hidden={found.length - MAX_LISTED} other={text.trim() === '' ? undefined : others?.form} />
      </ComboBox>
    </div>
  );
}

/** A click opens the list, and so does typing. The focus alone does not, so that Tab passes the field. */
function ComboInput(props: {
  placeholder: string;
  onSearch?: () => void;
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void;
  /** Number of chosen values. When it changes, the list closes, so that it does not cover the buttons of the form. */
  count?: number;
  /** True if the text is not a chosen value yet. A form with such a text is not submitted. */
  isUnread?: boolean;
}): ReactNode {
  const state = useContext(ComboBoxStateContext);
  const counted = useRef(props.count);
  useEffect(() => {
    if (counted.current !== props.count) state?.close();
    counted.current = props.count;
  });
  return (
    <div className={styles.entry}>
      <Input
        className={`${controls.input} ${styles.input}`}
        placeholder={props.placeholder}
        spellCheck={false}
        data-unread={props.isUnread || undefined}
        onFocus={(event) => event.currentTarget.select()}
        onInput={props.onSearch}
        onClick={() => state?.open(null, 'manual')}
        onKeyDownCapture={props.onKeyDown}
      />
      <AriaButton className={styles.open} onPress={props.onSearch}>
        <ChevronDown size={14} aria-hidden />
      </AriaButton>
    </div>
  );
}

function FieldTexts({ hint, problem }: Pick<ComboProps, 'hint' | 'problem'>): ReactNode {
  if (problem === undefined && hint === undefined) return null;
  return (
    <Text slot={problem === undefined ? 'description' : 'errorMessage'} elementType="div">
      <span className={problem === undefined ? controls.hint : controls.invalid}>{problem ?? hint}</span>
    </Text>
  );
}

function Options({ hidden, other }: { hidden: number; other?: string }): ReactNode {
  return (
    <Popover className={styles.popover} offset={4}>
      <ListBox<KnownOption>
        className={styles.list}
        renderEmptyState={() => (
          <p className={styles.note}>
            {other === undefined ? 'No results' : `Press Enter to add it if it is ${other}.`}
          </p>
        )}
      >
        {({ value, label = value, detail }) => (
          <ListBoxItem id={value} textValue={label} className={styles.option}>
            <bdi>{label}</bdi>
            {detail !== undefined && <span className={styles.detail}>{detail}</span>}
          </ListBoxItem>
        )}
      </ListBox>
      {hidden > 0 && <p className={styles.note}>{hidden} more match. Type to find them.</p>}
    </Popover>
  );
}

type ChipsProps = Pick<MultiComboFieldProps, 'label' | 'chosen' | 'options' | 'onChange'>;

function Chips({ label, chosen, options, onChange }: ChipsProps): ReactNode {
  if (chosen.length === 0) return null;
  const items = chosen.map((value) => ({ id: value, name: labelOf(options, value) }));
  return (
    <TagGroup aria-label={`Chosen: ${label}`} onRemove={(keys) => onChange(chosen.filter((value) => !keys.has(value)))}>
      <TagList items={items} className={styles.chips}>
        {({ name }) => (
          <Tag textValue={name} className={styles.chip}>
            <bdi>{name}</bdi>
            <AriaButton slot="remove" className={styles.remove}>
              <X size={12} aria-hidden />
            </AriaButton>
          </Tag>
        )}
      </TagList>
    </TagGroup>
  );
}
