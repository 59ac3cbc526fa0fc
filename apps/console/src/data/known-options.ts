/** A thing that a person can choose. `detail` is a second line, which is searched too. */
export interface KnownOption {
  value: string;
  label?: string;
  detail?: string;
}

/** Maximum number of options that a list shows at a time. Typing finds the others. */
export const MAX_LISTED = 100;

export function labelOf(options: readonly KnownOption[], value: string): string {
  return options.find((option) => option.value === value)?.label ?? value;
}

/** Returns the options that contain each word of the text. Options whose label begins with the text come first. */
export function matching(options: readonly KnownOption[], text: string): readonly KnownOption[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === '') return options;
  const words = wanted.split(/\s+/);
  const found = options.filter(({ value, label = '', detail = '' }) => {
    const all = `${label}\n${detail}\n${value}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  const isFirst = ({ value, label = value }: KnownOption): boolean => label.toLowerCase().startsWith(wanted);
  return [...found.filter(isFirst), ...found.filter((option) => !isFirst(option))];
}

/** Returns the option with exactly this label or value. Ignores case. */
export function namedOption(options: readonly KnownOption[], text: string): KnownOption | undefined {
  const wanted = text.trim().toLowerCase();
  return options.find(({ value, label = value }) => [label, value].some((name) => name.toLowerCase() === wanted));
}

/** The rule for a text that is not in the list. */
export interface OtherValues {
  /** Returns the value for a text of the person, or undefined if the text is malformed. */
  read: (text: string) => string | undefined;
  /** What such a text is, for example `an e-mail address such as ada@example.com`. */
  form: string;
}

/** Returns the values that the person typed or pasted, or why one of them cannot be added. */
export function readTyped(
  options: readonly KnownOption[],
  text: string,
  { noun, others }: { noun: string; others?: OtherValues },
): { values: string[]; problem?: string } {
  const values: string[] = [];
  for (const entry of text.split(/[\n,;]/).map((part) => part.trim())) {
    if (entry === '') continue;
    const value = namedOption(options, entry)?.value ?? others?.read(entry);
    if (value === undefined) return { values: [], problem: refusalOf(entry, noun, others) };
    values.push(value);
  }
  return { values };
}

function refusalOf(text: string, noun: string, others: OtherValues | undefined): string {
  if (others) return `"${text}" is not in the list, and is not ${others.form}. Correct it, or choose an entry.`;
  return `There is no ${noun} "${text}". Choose an entry of the list.`;
}
