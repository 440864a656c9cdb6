/**
 * Names of the semantic conventions for generative AI, version 1.45.0. They may still change there, so they are pinned here: a
 * test compares each with that version. Nothing else is put on a span.
 */
export const conventions = {
  operationName: "gen_ai.operation.name",
  workflowName: "gen_ai.workflow.name",
  agentName: "gen_ai.agent.name",
  toolName: "gen_ai.tool.name",
  conversationId: "gen_ai.conversation.id",
  errorType: "error.type",
  exceptionEvent: "exception",
  exceptionType: "exception.type",
} as const;

/** Values of `gen_ai.operation.name`. */
export const operations = {
  run: "invoke_workflow",
  superstep: "invoke_agent",
  node: "execute_tool",
} as const;
