import * as semantic from "@opentelemetry/semantic-conventions/incubating";
import { expect, test } from "vitest";
import { conventions, operations } from "../src/conventions.ts";

test("S19 every name is in the conventions of the pinned version", () => {
  expect(conventions).toEqual({
    operationName: semantic.ATTR_GEN_AI_OPERATION_NAME,
    workflowName: semantic.ATTR_GEN_AI_WORKFLOW_NAME,
    agentName: semantic.ATTR_GEN_AI_AGENT_NAME,
    toolName: semantic.ATTR_GEN_AI_TOOL_NAME,
    conversationId: semantic.ATTR_GEN_AI_CONVERSATION_ID,
    errorType: semantic.ATTR_ERROR_TYPE,
    exceptionEvent: semantic.EVENT_EXCEPTION,
    exceptionType: semantic.ATTR_EXCEPTION_TYPE,
  });
  expect(operations).toEqual({
    run: semantic.GEN_AI_OPERATION_NAME_VALUE_INVOKE_WORKFLOW,
    superstep: semantic.GEN_AI_OPERATION_NAME_VALUE_INVOKE_AGENT,
    node: semantic.GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL,
  });
});
