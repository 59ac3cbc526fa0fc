import type { Files } from './plantation.js';

/** Forbidden phrases in each kind of text, together with similar texts that are allowed. */
export const LANGUAGE_PLANTS: Files = {
  'libs/agents/src/agents.ts': "// Nobody\n// reads it.\nexport const nobody = 'nobody asks' + `nobody` + 'nobody';",
  'libs/events/src/sql/own.sql': "select 'nobody'; -- what became\n-- of it\n/* anew */",
  'libs/runs/src/month-keeper.ts': 'export class MonthKeeper {}\nexport const attended = "attended";',
  'docs/reading.md': 'It is told\nto `whoever` asks.\n\n```sh\necho nobody\n```\n\nA line ending.',
  'docker/values.yaml': `key: nobody # anew ${'wide '.repeat(24)}`,
};
