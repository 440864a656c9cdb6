export interface Msg {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
}
export interface ToolCall {
  id: string;
  name: string;
  args: unknown;
  destructive: boolean;
}
