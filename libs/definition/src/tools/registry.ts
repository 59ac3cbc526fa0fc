import type { JsonObject } from '@app/kernel';
import { byValue } from '../contract/building-blocks.js';
import { TOOL_TYPES, type ToolType } from '../model/compiled-tool.js';
import { agentTool } from './agent.js';
import type { ToolDescriptor } from '../contract/tool-descriptor.js';
import { emailTool } from './email.js';
import { filesTool } from './files.js';
import { httpTool } from './http.js';
import { mcpTool } from './mcp.js';
import { openapiTool } from './openapi.js';
import { mysqlTool, postgresTool } from './sql.js';
import { stateTool } from './state.js';

type ToolDescriptors = { readonly [Type in ToolType]: ToolDescriptor<Type> };

export const TOOLS: ToolDescriptors = {
  http: httpTool,
  openapi: openapiTool,
  mcp: mcpTool,
  agent: agentTool,
  email: emailTool,
  postgres: postgresTool,
  mysql: mysqlTool,
  state: stateTool,
  files: filesTool,
};

/** The schema `#/$defs/tool`. */
export const toolSchema: JsonObject = byValue(
  'type',
  Object.fromEntries(TOOL_TYPES.map((type) => [type, TOOLS[type].schema])),
);
