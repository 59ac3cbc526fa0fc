import { Parser } from 'htmlparser2';

const SIMPLE_FIELD_TAG = tag('/?(?:[\\w.-]+:)?fldSimple');
const FORMULA_GROUP_TAG = tag('/?(?:[\\w.-]+:)?oMathPara');
const FORMULA = /<((?:[\w.-]+:)?oMath)(?:\s[^>]*)?>[^]*?<\/\1\s*>/g;
const WORD_PREFIX = /\sxmlns:([\w.-]+)="[^"]*\/wordprocessingml(?:\/2006)?\/main"/;

function tag(name: string): RegExp {
  return new RegExp(`<${name}(?=[\\s/>])(?:"[^"]*"|'[^']*'|[^"'>])*>`, 'g');
}

export function plainWordXml(xml: string): string {
  const prefix = WORD_PREFIX.exec(xml)?.[1] ?? 'w';
  return xml
    .replace(SIMPLE_FIELD_TAG, '')
    .replace(FORMULA_GROUP_TAG, '')
    .replace(FORMULA, (formula) => {
      const text = escaped(formulaText(formula));
      return `<${prefix}:r><${prefix}:t xml:space="preserve">${text}</${prefix}:t></${prefix}:r>`;
    });
}

interface Node {
  name: string;
  properties: Record<string, string>;
  parts: { name: string; text: string }[];
}

function formulaText(xml: string): string {
  const stack: Node[] = [{ name: '', properties: {}, parts: [] }];
  const parser = new Parser(
    {
      onopentag: (qualified, attributes) => {
        const name = qualified.slice(qualified.indexOf(':') + 1);
        const value = Object.entries(attributes).find(([key]) => /(^|:)val$/.test(key))?.[1];
        const holder = stack.at(-1)?.name.endsWith('Pr') ? stack.at(-2) : undefined;
        if (holder && value !== undefined) holder.properties[name] = value;
        stack.push({ name, properties: {}, parts: [] });
      },
      ontext: (text) => {
        const top = stack.at(-1);
        if (top?.name === 't') top.parts.push({ name: '', text });
      },
      onclosetag: () => {
        const node = stack.pop();
        if (node) stack.at(-1)?.parts.push({ name: node.name, text: textOf(node) });
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  return stack[0]?.parts.map(({ text }) => text).join('') ?? '';
}

function textOf({ name, properties, parts }: Node): string {
  const all = (part: string): string[] => parts.filter((each) => each.name === part).map(({ text }) => text);
  const one = (part: string): string => grouped(all(part).join(''));
  const scripts = (all('sub').join('') && `_${one('sub')}`) + (all('sup').join('') && `^${one('sup')}`);
  switch (name) {
    case 'f':
      return `${one('num')}/${one('den')}`;
    case 'sSub':
    case 'sSup':
    case 'sSubSup':
      return one('e') + scripts;
    case 'nary':
      return `${properties.chr ?? '∫'}${scripts} ${all('e').join('')}`;
    case 'rad':
      return `√${all('deg').join('')}(${all('e').join('')})`;
    case 'd':
      return `${properties.begChr ?? '('}${all('e').join(properties.sepChr ?? '|')}${properties.endChr ?? ')'}`;
    case 'func':
      return `${all('fName').join('')} ${all('e').join('')}`;
    case 'mr':
      return all('e').join(' ');
    case 'm':
      return all('mr').join('; ');
    case 'eqArr':
      return all('e').join('; ');
    default:
      return name.endsWith('Pr') ? '' : parts.map(({ text }) => text).join('');
  }
}

function grouped(text: string): string {
  return /^[\p{L}\p{N}]*$/u.test(text) ? text : `(${text})`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
