/** Extensions of text files that are read unchanged: code, data and settings. */
const CODE_EXTENSIONS = new Set(
  `adb ads applescript as asm astro awk bas bash bat bicep c cc cfg cjs clj cljs cmake cmd coffee conf cpp cr cs css csx cts cue cxx d
  dart diff dockerfile dtd ebnf editorconfig el elm env erl ex exs f90 fish fs fsx gemspec gitignore go gql gradle graphql groovy h haml
  handlebars hbs hcl hh hpp hrl hs hxx ini ipynb java jinja jl js json json5 jsonc jsonl jsonnet jsx just kt kts less liquid lisp lua m
  mak make mjs mk ml mli mm mts mustache nim nix nomad pas patch php pl plist pm po pp prisma pro properties proto ps1 psm1 pug py pyi
  pyx r rake rb re rego res rkt robot rs sass sbt scala scm scss sh smithy sol sql ps svelte swift tcl templ tex tf tfvars thrift toml
  tpl ts tsv tsx twig v vb vhd vim vue wgsl wsdl xhtml xml xsd xsl xslt yaml yml zig zsh`.split(/\s+/),
);
const CODE_NAMES = new Set(
  `authors brewfile build bzl caddyfile changelog changes codeowners contributing contributors copying dockerfile gemfile jenkinsfile
  justfile license licence makefile notice news procfile rakefile readme todo vagrantfile version workspace`.split(
    /\s+/,
  ),
);
const TYPES: Readonly<Record<string, string>> = {
  yaml: 'application/yaml',
  yml: 'application/yaml',
  json: 'application/json',
  xml: 'application/xml',
};

export function codeType(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const dot = name.lastIndexOf('.');
  const extension = name.slice(dot + 1);
  const isCode = dot < 0 ? CODE_NAMES.has(name) : CODE_EXTENSIONS.has(extension);
  return isCode ? (TYPES[extension] ?? 'text/plain') : undefined;
}
