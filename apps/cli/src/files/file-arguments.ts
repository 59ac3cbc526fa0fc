import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { usageError } from '../errors/command-error.js';
import { assertReadable } from './local-files.js';

type Schema = Readonly<Record<string, unknown>>;

export interface FileArgument {
  /** Name of the form part: the member of the input, or `member[]` for a list. */
  part: string;
  member: string;
  path: string;
}

/**
 * Separates the assignments of files (`name=@path`, `name[]=@path`) from the others. They are files only where the input
 * schema has the keyword `file`. `readSchema` is called only if a text begins with `@`.
 *
 * @throws a usage error for a file that cannot be read, or that does not fit its member
 */
export async function separateFiles(
  texts: readonly string[],
  readSchema: () => Promise<unknown>,
): Promise<{ others: string[]; files: FileArgument[] }> {
  const isCandidate = texts.some((text) => assignedFile(text) !== undefined);
  const schema = isCandidate ? await readSchema() : undefined;
  const files: FileArgument[] = [];
  const others: string[] = [];
  for (const text of texts) {
    const file = assignedFile(text);
    const kind = file && isSchema(schema) ? fileMember(schema, file.member) : undefined;
    if (file && kind !== undefined) files.push(ofKind(file, kind));
    else others.push(text);
  }
  assertOnce(files, others);
  for (const { path } of files) await assertReadable(path);
  return { others, files };
}

function assignedFile(text: string): FileArgument | undefined {
  const [, part, path = ''] = /^([^=]*[^=:])=@(.*)$/s.exec(text) ?? [];
  return part === undefined ? undefined : { part, member: part.replace(/\[\]$/, ''), path };
}

function ofKind(file: FileArgument, kind: 'file' | 'list'): FileArgument {
  const { part, member, path } = file;
  if (path === '') throw usageError(`\`${part}\` has no path.`, '--input', 'Write the path of a file after `@`.');
  if (part !== member && kind === 'file')
    throw usageError(`\`${member}\` is one file, not a list.`, '--input', `Write \`${member}=@path\`.`);
  if (part === member && kind === 'list')
    throw usageError(`\`${member}\` is a list of files.`, '--input', `Write \`${member}[]=@path\` for each file.`);
  return file;
}

function assertOnce(files: readonly FileArgument[], others: readonly string[]): void {
  for (const [at, { part, member }] of files.entries()) {
    const isRepeated = part === member && files.findIndex((file) => file.part === part) < at;
    if (isRepeated || others.some((text) => text.startsWith(`${member}=`) || text.startsWith(`${member}:=`)))
      throw usageError(`\`${member}\` is given twice.`, '--input', 'Give the member once.');
  }
}

/** Returns whether the member of the input is a file or a list of files, also through `$ref` and `allOf`. */
function fileMember(root: Schema, member: string): 'file' | 'list' | undefined {
  const own = appliedTo(root, [root]).flatMap(({ properties }) =>
    isSchema(properties) && Object.hasOwn(properties, member) ? schemasIn([properties[member]]) : [],
  );
  const schemas = appliedTo(root, own);
  if (schemas.some(isFile)) return 'file';
  const items = schemasIn(schemas.map((schema) => schema.items));
  return appliedTo(root, items).some(isFile) ? 'list' : undefined;
}

function isFile({ file }: Schema): boolean {
  return isSchema(file);
}

/** Returns these schemas, and the schemas that they apply to the same value. */
function appliedTo(root: Schema, schemas: readonly Schema[]): Schema[] {
  const applied = new Set(schemas);
  for (const { $ref, allOf } of applied) {
    const parts: readonly unknown[] = Array.isArray(allOf) ? allOf : [];
    const target = typeof $ref === 'string' ? pointedAt(root, $ref) : undefined;
    for (const schema of schemasIn([target, ...parts])) applied.add(schema);
  }
  return [...applied];
}

function pointedAt(root: Schema, reference: string): unknown {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isSchema(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  }
  return at;
}

function schemasIn(values: readonly unknown[]): Schema[] {
  return values.filter(isSchema);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Builds the form that starts a run with files. The files are read only when the form is sent. */
export async function startForm(
  fields: Readonly<Record<string, string | number | object>>,
  files: readonly FileArgument[],
): Promise<FormData> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  for (const { part, path } of files) form.append(part, await openAsBlob(path), basename(path));
  return form;
}
