import { type CompiledTool, TOOL_TYPES } from '../model/compiled-tool.js';
import type { ToolDescriptions } from '../model/tool-description.js';
import { ToolCompilation } from '../contract/tool-compilation.js';
import { builtInFiles, FILES_TOOL } from '../tools/files.js';
import { KNOWLEDGE_TOOL, knowledgeTool } from '../tools/knowledge.js';
import { TOOLS } from '../tools/registry.js';
import { builtInState, STATE_TOOL } from '../tools/state.js';
import type { CompileContext } from '../contract/compile-context.js';
import { DefinitionNode } from '../contract/definition-node.js';

/**
 * Name of the built-in tool that sends e-mail to the admins of the workspace. A tool of the definition with this name
 * replaces it.
 */
const BUILT_IN_EMAIL_TOOL = 'notify';

/** Compiles the tools of a definition and adds the built-in tools. Returns the tools by name. */
export function compileTools(
  root: DefinitionNode,
  context: CompileContext,
  descriptions: ToolDescriptions,
): Map<string, CompiledTool> {
  const tools = new Map<string, CompiledTool>();
  for (const node of root.items('tools')) {
    const name = node.text('name');
    if (name === KNOWLEDGE_TOOL)
      context.problems.error(
        node.pathOf('name'),
        '`knowledge` is reserved for a built-in tool.',
        'Choose another name.',
      );
    else if (tools.has(name))
      context.problems.error(node.pathOf('name'), `Two tools are named \`${name}\`.`, 'Rename one.');
    else {
      const description = Object.hasOwn(descriptions, name) ? descriptions[name] : undefined;
      tools.set(name, compileTool(new ToolCompilation(node, context, description)));
    }
  }
  const knowledge = knowledgeTool(root);
  if (knowledge) tools.set(KNOWLEDGE_TOOL, knowledge);
  const state = builtInState(root, (node) => new ToolCompilation(node, context));
  if (state) tools.set(STATE_TOOL, state);
  const files = builtInFiles(root, (node) => new ToolCompilation(node, context));
  if (files) tools.set(FILES_TOOL, files);
  if (!tools.has(BUILT_IN_EMAIL_TOOL)) tools.set(BUILT_IN_EMAIL_TOOL, builtInEmailTool(context));
  return tools;
}

function builtInEmailTool(context: CompileContext): CompiledTool {
  const node = new DefinitionNode({ name: BUILT_IN_EMAIL_TOOL, type: 'email' }, ['tools', BUILT_IN_EMAIL_TOOL]);
  return compileTool(new ToolCompilation(node, context));
}

function compileTool(compilation: ToolCompilation): CompiledTool {
  const type = compilation.node.choice('type', TOOL_TYPES);
  return TOOLS[type].compile(compilation.base(), compilation);
}
